"""The page of sources, made from the readers themselves: `python -m pipelines.sources.page` rewrites it.

What lives here: the table of formats. What does not: advice on what to log, which people write.
"""

from pathlib import Path

from pipelines.sources import readers

PAGE = Path(__file__).parents[2] / "docs" / "sources.md"
_HEAD = """# Sources

Made by `python -m pipelines.sources.page` from the readers in `pipelines/sources/`; a test holds it fresh.
A file finds its reader by its first bytes; `inferledger ingest --reader NAME` names one.

| source | what it reads | rows go to |
|---|---|---|
"""


def page() -> str:
    """Return the page: one line per source with the first sentence of its reader's charter."""
    rows = []
    for name, reader in sorted(readers().items()):
        charter = " ".join((reader.__doc__ or "").split("\n\n")[0].split())
        rows.append(f"| `{name}` | {charter.replace('|', ' ')} | `{reader.TABLE}` |\n")
    return _HEAD + "".join(rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
