"""Laws of the compiled book on generated books: partition, exactness, append, order, an independent oracle.

The oracle reads the generated prices with plain comparisons and `Decimal`; the compiler's code is not in it.
"""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pricing.periods import day_period, to_us
from pricing.price_book import PriceBook
from tests.unit.pricing.books import book_of, card, compiled, model, models

DAYS = [date(2026, 10, 19) + timedelta(days=n) for n in range(4)]
START = datetime(2026, 10, 19, tzinfo=UTC)
METERS = ("input", "cache_read", "output_audio")
COLUMNS = {"input": "input_uncached", "cache_read": "cache_read", "output_audio": "output_audio"}
TIERS = ("standard", "batch")


@dataclass(frozen=True)
class Price:
    """One generated price: hours count from the first day; `known` is when it was learned."""

    hour: int
    known: int
    tier: str
    amounts: dict[str, str] = field(hash=False)
    band: tuple[int, dict[str, str]] | None = field(default=None, hash=False)
    peak: bool = False

    def text(self) -> str:
        hours = ", hours: deepseek_peak" if self.peak else ""
        start, known = (instant(hour).isoformat() for hour in (self.hour, self.known))
        parts = [
            f'valid_from: "{start}"',
            f'known_from: "{known}"',
            f"tier: {self.tier}{hours}",
            tokens(self.amounts),
        ]
        if self.band is not None:
            above, amounts = self.band
            parts.append(f"bands: [{{above: {above}, {tokens(amounts)}}}]")
        return f"{{{', '.join(parts)}}}"


def instant(hour: int) -> datetime:
    return START + timedelta(hours=hour)


def tokens(amounts: dict[str, str]) -> str:
    return f"per_million_tokens: {{{', '.join(f'{word}: {amount}' for word, amount in amounts.items())}}}"


amount = st.integers(0, 10**9).map(lambda millionths: format(Decimal(millionths) / 10**6, "f"))


@st.composite
def price(draw: st.DrawFn) -> Price:
    words = draw(st.lists(st.sampled_from(METERS), min_size=1, max_size=3, unique=True))
    amounts = {word: draw(amount) for word in words}
    band = draw(st.none() | st.sampled_from([10, 1_000]))
    made = None if band is None else (band, {word: draw(amount) for word in words})
    return Price(
        draw(st.integers(-10, 80)),
        draw(st.integers(-20, 90)),
        draw(st.sampled_from(TIERS)),
        amounts,
        made,
        draw(st.booleans()),
    )


def series(prices: list[Price]) -> list[Price]:
    """Keep one price per start and series, so that the book loads."""
    kept: dict[Any, Price] = {}
    for row in prices:
        for word in row.amounts:
            kept.setdefault((row.hour, row.tier, row.peak, word), row)
    return [row for row in prices if all(kept[row.hour, row.tier, row.peak, w] is row for w in row.amounts)]


books = st.lists(price(), min_size=1, max_size=7).map(series)


def made(prices: list[Price]) -> PriceBook:
    return book_of(models(model("m", *(row.text() for row in prices))))


def is_peak(when: datetime) -> bool:
    return when.weekday() < 5 and (1 <= when.hour < 4 or 6 <= when.hour < 10)


def oracle(
    prices: list[Price], tier: str, word: str, when: datetime, input_tokens: int, known: datetime | None
) -> Decimal | None:
    """Return USD per million tokens: the newest known start, a window before all day, then the band."""
    for peak in (True, False):
        rows = [
            row
            for row in prices
            if row.tier == tier and row.peak == peak and word in row.amounts and instant(row.hour) <= when
            if known is None or instant(row.known) <= known
        ]
        if rows and (not peak or is_peak(when)):
            newest = max(rows, key=lambda row: row.hour)
            if newest.band is not None and input_tokens > newest.band[0]:
                return Decimal(newest.band[1][word])
            return Decimal(newest.amounts[word])
    return None


def rows_of(prices: list[Price], day: date, tier: str, known: str | None = None) -> list[dict[str, Any]]:
    cards = [card(1, day, served_model="m", service_tier="default" if tier == "standard" else tier)]
    return compiled(made(prices), *cards, known=known).token_prices.to_pylist()


def found(rows: list[dict[str, Any]], when: datetime, input_tokens: int) -> dict[str, Any]:
    at = to_us(when)
    (row,) = [
        row
        for row in rows
        if row["valid_from_us"] <= at < row["valid_until_us"]
        and row["input_from_tokens"] <= input_tokens < row["input_until_tokens"]
    ]
    return row


@settings(max_examples=60, deadline=None)
@given(books, st.sampled_from(DAYS), st.sampled_from(TIERS))
def test_the_rows_of_a_card_partition_the_day_and_all_inputs(
    prices: list[Price], day: date, tier: str
) -> None:
    rows = rows_of(prices, day, tier)
    whole = day_period(day)
    area = sum(
        (r["valid_until_us"] - r["valid_from_us"]) * (r["input_until_tokens"] - r["input_from_tokens"])
        for r in rows
    )
    assert area == (whole.end_us - whole.start_us) * (2**63 - 1)
    for number, one in enumerate(rows):
        for other in rows[number + 1 :]:
            in_time = (
                one["valid_from_us"] < other["valid_until_us"]
                and other["valid_from_us"] < one["valid_until_us"]
            )
            starts = (one["input_from_tokens"], other["input_from_tokens"])
            ends = (one["input_until_tokens"], other["input_until_tokens"])
            assert not (in_time and starts[0] < ends[1] and starts[1] < ends[0])


@settings(max_examples=60, deadline=None)
@given(books, st.integers(0, 95), st.sampled_from(TIERS), st.sampled_from([0, 10, 11, 1_000, 1_001, 10**6]))
def test_every_price_is_that_of_the_oracle(
    prices: list[Price], hour: int, tier: str, input_tokens: int
) -> None:
    when = instant(hour)
    row = found(rows_of(prices, when.date(), tier), when, input_tokens)
    for word in METERS:
        right = oracle(prices, tier, word, when, input_tokens, None)
        pico = row[f"{COLUMNS[word]}_list_pico_usd"]
        assert pico == (None if right is None else right * 10**6)


@settings(max_examples=60, deadline=None)
@given(books, st.integers(0, 95), st.integers(-20, 95))
def test_every_price_as_known_then_is_that_of_the_oracle(prices: list[Price], hour: int, known: int) -> None:
    when, then = instant(hour), instant(known)
    row = found(rows_of(prices, when.date(), "standard", then.isoformat()), when, 5)
    for word in METERS:
        right = oracle(prices, "standard", word, when, 5, then)
        assert row[f"{COLUMNS[word]}_list_pico_usd"] == (None if right is None else right * 10**6)


@settings(max_examples=40, deadline=None)
@given(books, price(), st.integers(0, 95), st.integers(-20, 80))
def test_appending_never_changes_what_was_known_before(
    prices: list[Price], new: Price, hour: int, known: int
) -> None:
    learned = Price(new.hour, known + 1, new.tier, new.amounts, new.band, new.peak)
    longer = series([*prices, learned])
    if learned not in longer:
        return
    day, then = instant(hour).date(), instant(known).isoformat()
    for tier in TIERS:
        before, after = (rows_of(rows, day, tier, then) for rows in (prices, longer))
        assert before == after


@settings(max_examples=30, deadline=None)
@given(books, st.randoms(use_true_random=False))
def test_the_order_of_entries_changes_nothing(prices: list[Price], random: Any) -> None:
    shuffled = list(prices)
    random.shuffle(shuffled)
    assert made(shuffled).version == made(prices).version
    assert rows_of(shuffled, DAYS[1], "standard") == rows_of(prices, DAYS[1], "standard")


@settings(max_examples=60, deadline=None)
@given(amount, st.integers(0, 10**12))
def test_price_times_tokens_never_loses_a_decimal(usd_per_million: str, quantity: int) -> None:
    plain = Price(-10, -10, "standard", {"input": usd_per_million})
    (row,) = rows_of([plain], DAYS[0], "standard")
    pico = row["input_uncached_list_pico_usd"] * quantity
    assert Decimal(pico) / 10**12 == Decimal(usd_per_million) * quantity / 10**6


@settings(max_examples=30, deadline=None)
@given(books)
def test_equal_keys_mean_equal_prices_and_unequal_prices_unequal_keys(prices: list[Price]) -> None:
    by_key: dict[int, tuple[Any, ...]] = {}
    for day in DAYS:
        for row in rows_of(prices, day, "standard"):
            if row["price_key"] is not None:
                amounts = tuple(value for name, value in row.items() if name.endswith("_pico_usd"))
                assert by_key.setdefault(row["price_key"], amounts) == amounts


@settings(max_examples=30, deadline=None)
@given(books, st.sampled_from(DAYS))
def test_a_row_without_a_price_says_so_and_a_row_with_one_has_a_key(prices: list[Price], day: date) -> None:
    for row in rows_of(prices, day, "batch"):
        is_priced = any(value is not None for name, value in row.items() if name.endswith("_pico_usd"))
        assert is_priced == (row["price_key"] is not None) == (row["reason_code"] == "")
