"""`inferledger prices import`: what a public catalogue says otherwise, and dated entries to copy.

Lives here: telling the catalogues apart, and writing proposals beside the book. Does not live here: reading a
catalogue (pricing/importers). Nothing is ever written over, and nothing here enters the book by itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from pathlib import Path

from pipelines.errors import UserError
from pricing.importers import genai_prices, gpu_catalogue, litellm_map
from pricing.importers.comparison import compare, missing_models
from pricing.importers.proposals import ProposedModel, price_file_text
from pricing.price_book import PriceBook

GENAI_PRICES = "genai-prices"


@dataclass(frozen=True)
class Proposal:
    """What a catalogue has that the book has not: differences in words, and price files by name."""

    differences: tuple[str, ...]
    files: dict[str, str]

    def text(self) -> str:
        """The differences, then which files would be proposed."""
        files = [f"would propose {name}, {text.count(chr(10))} lines" for name, text in self.files.items()]
        return "\n".join([*self.differences, *files, f"{len(self.differences)} differences"])


def propose(book: PriceBook, source: str, provider: str | None, day: date) -> Proposal:
    """Compare a catalogue with the book on a UTC day; `source` is `genai-prices` or a file.

    A .json file is a LiteLLM price map, a .csv file a GPU catalogue (SkyPilot, gpuhunt) of `provider`.
    """
    path = Path(source)
    if source == GENAI_PRICES:
        return _models(book, genai_prices.read(), "https://github.com/pydantic/genai-prices", day)
    if path.suffix == ".json":
        rows = litellm_map.read(path, book, day)
        return _models(book, rows, "https://github.com/BerriAI/litellm", day)
    if path.suffix == ".csv":
        return _gpus(book, path, provider, day)
    raise UserError(
        f"'{source}' is no catalogue",
        where="option --from",
        allowed=f"{GENAI_PRICES}, a LiteLLM map (.json), a SkyPilot or gpuhunt file (.csv)",
        next_step="correct it",
    )


def _models(book: PriceBook, rows: Sequence[ProposedModel], url: str, day: date) -> Proposal:
    differences = tuple(difference.text() for difference in compare(book, rows, day))
    missing = sorted(missing_models(book, rows, day), key=lambda row: row.provider)
    source = f'{{url: "{url}", checked: {day}}}'
    files = {
        f"{provider}.yml": price_file_text(provider, source, list(group))
        for provider, group in groupby(missing, key=lambda row: row.provider)
    }
    return Proposal(differences, files)


def _gpus(book: PriceBook, path: Path, provider: str | None, day: date) -> Proposal:
    if provider is None:
        raise UserError(
            f"'{path}' does not say whose rates it holds",
            where="a GPU catalogue",
            next_step="add --provider NAME, for example --provider aws",
        )
    fresh = gpu_catalogue.new_rates(book.gpu_rates, gpu_catalogue.read(path, provider, day))
    lines = [rate.line("catalogue") for rate in fresh]
    return Proposal(
        tuple(lines), {f"gpus-{provider}.yml": "\n".join(["rates:", *lines, ""])} if lines else {}
    )


def write_proposal(proposal: Proposal, folder: Path) -> list[Path]:
    """Write the proposed files into a folder; one that is there stops it before anything is written."""
    paths = {folder / name: text for name, text in proposal.files.items()}
    for path in paths:
        if path.exists():
            raise UserError(
                f"'{path}' is there already",
                where="option --into",
                allowed="a folder without it; nothing is written over",
                next_step="choose another folder",
            )
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in paths.items():
        path.write_text(text, encoding="utf-8")
    return list(paths)
