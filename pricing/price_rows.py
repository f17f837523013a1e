"""One compiled row: the prices of all meters in one period of a day and one band of whole input."""

from dataclasses import dataclass

from pricing.hashes import content_key
from pricing.money import Priced
from pricing.periods import Period

LARGEST_BIGINT = 2**63 - 1


@dataclass(frozen=True)
class PriceRow:
    """The amounts of all meters in one period of a day and one band of whole input (tokens)."""

    period: Period
    input_from_tokens: int
    input_until_tokens: int
    prices: dict[str, Priced]

    def key(self) -> int:
        """Return the content key of the amounts and of the entries they come from."""
        return content_key(
            [[m, p.list_pico_usd, p.contracted_pico_usd, p.entry.content] for m, p in self.prices.items()]
        )


def merged(pieces: list[PriceRow]) -> list[PriceRow]:
    """Join neighbouring periods with equal bands and prices: an edge of another tier is no edge here."""
    merged: dict[tuple[int, int], list[PriceRow]] = {}
    for piece in pieces:
        rows = merged.setdefault((piece.input_from_tokens, piece.input_until_tokens), [])
        if rows and rows[-1].period.end_us == piece.period.start_us and rows[-1].prices == piece.prices:
            joined = Period(rows[-1].period.start_us, piece.period.end_us)
            rows[-1] = PriceRow(joined, piece.input_from_tokens, piece.input_until_tokens, piece.prices)
        else:
            rows.append(piece)
    return [row for rows in merged.values() for row in rows]
