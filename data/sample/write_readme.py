"""Write the tables of both READMEs anew from expected.py: `python data/sample/write_readme.py`."""

from pathlib import Path

from expected import expected
from expected_tables import markdown

HERE = Path(__file__).parent
MARK = "<!-- totals: written by write_readme.py -->\n"


def main() -> None:
    """Replace what stands below the mark."""
    for folder in (HERE, HERE / "fortnight"):
        readme = folder / "README.md"
        before, found, _ = readme.read_text(encoding="utf-8").partition(MARK)
        if not found:
            raise SystemExit(f"{readme} has no line {MARK.strip()}")
        readme.write_text(before + MARK + "\n" + markdown(expected(folder / "files")), encoding="utf-8")


if __name__ == "__main__":
    main()
