"""Write the tables of README.md anew from expected.py: `python data/sample/write_readme.py`."""

from pathlib import Path

from expected import expected, markdown

README = Path(__file__).parent / "README.md"
MARK = "<!-- totals: written by write_readme.py -->\n"


def main() -> None:
    """Replace what stands below the mark."""
    before, found, _ = README.read_text(encoding="utf-8").partition(MARK)
    if not found:
        raise SystemExit(f"{README} has no line {MARK.strip()}")
    README.write_text(before + MARK + "\n" + markdown(expected()), encoding="utf-8")


if __name__ == "__main__":
    main()
