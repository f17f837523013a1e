"""Compile the book for the rate cards of some days: flat price rows and the items that explain them.

The rows of one card partition its UTC day × all inputs, so every attempt finds exactly one, priced or not.
Aliases, hour-of-week windows, holidays, daylight saving, currency, contracts and the known axis are all spent
here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, TypeAlias

import pyarrow as pa

from pricing.choosing import ModelPrices, Source
from pricing.entries import Conditions
from pricing.flat_tables import price_items_schema, token_prices_schema
from pricing.model_identity import ModelName, check_names
from pricing.money import Priced, price_of, priced_flat_fee
from pricing.overlays import contract_at
from pricing.periods import Period, day_period
from pricing.price_book import BookModel, PriceBook
from pricing.price_rows import LARGEST_BIGINT, PriceRow, merged
from pricing.rate_cards import RateCard, Resolution, resolve
from pricing.units import attempt_meters

Row: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class CompiledPrices:
    """The two tables of the contract with the SQL."""

    token_prices: pa.Table
    price_items: pa.Table


def compile_token_prices(
    book: PriceBook, cards: pa.Table, names: Sequence[ModelName] = (), known_at_us: int | None = None
) -> CompiledPrices:
    """Return the price rows and items for stg_rate_cards rows; amounts are whole pico-USD per unit."""
    check_names(names)
    compiler = Compiler(book, names, known_at_us)
    rows: list[Row] = []
    for record in cards.select([*_CARD_COLUMNS]).to_pylist():
        day, card_key = record.pop("usage_date"), record.pop("rate_card_key")
        for row in compiler.rows_of(RateCard(**record), day):
            rows.append({"usage_date": day, "rate_card_key": card_key, **row})
    items = compiler.items
    rows.sort(key=lambda r: (r["usage_date"], r["rate_card_key"], r["valid_from_us"], r["input_from_tokens"]))
    order = {meter: position for position, meter in enumerate(attempt_meters())}
    ordered = sorted(items, key=lambda key: (key[0], key[1], order[key[2]]))
    return CompiledPrices(
        pa.Table.from_pylist(rows, schema=token_prices_schema()),
        pa.Table.from_pylist([items[key] for key in ordered], schema=price_items_schema()),
    )


_CARD_COLUMNS = ("usage_date", "rate_card_key", *RateCard.__dataclass_fields__)


class Compiler:
    """Compiles cards one by one and keeps what several of them share."""

    def __init__(
        self, book: PriceBook, names: Sequence[ModelName] = (), known_at_us: int | None = None
    ) -> None:
        self._book = book
        self._names = names
        self._known_at_us = known_at_us
        self._models: dict[tuple[str, str], ModelPrices] = {}
        self._rows: dict[tuple[str, str, Conditions, date], list[PriceRow]] = {}
        self._alias_edges = sorted(
            {
                edge
                for rows in book.aliases.values()
                for a in rows
                for edge in (a.valid.start_us, a.valid.end_us)
            }
        )
        self._contract_edges = {e for c in book.contracts for e in (c.valid.start_us, c.valid.end_us)}
        self.items: dict[tuple[date, int, str], Row] = {}

    def rows_of(self, card: RateCard, day: date) -> Iterator[Row]:
        """Yield the flat rows of one card, without date and card key; they partition the day × all inputs."""
        for period in day_period(day).cut(self._alias_edges):
            found = resolve(self._book, card, period.start_us, self._names, self._known_at_us)
            if found.flat_fee is not None:
                row = PriceRow(period, 0, LARGEST_BIGINT, priced_flat_fee(found.flat_fee))
                yield self._priced(found, row, "", day)
                continue
            if found.reason_code or found.model is None:
                yield _flat(found, PriceRow(period, 0, LARGEST_BIGINT, {}), found.reason_code)
                continue
            for row in self._price_rows(found.model, found.conditions, day):
                common = row.period.intersection(period)
                if common is not None:
                    reason = self._condition_reason(found.model, found.conditions, common.start_us)
                    yield self._priced(
                        found,
                        PriceRow(common, row.input_from_tokens, row.input_until_tokens, row.prices),
                        reason,
                        day,
                    )

    def _priced(self, found: Resolution, row: PriceRow, reason: str, day: date) -> Row:
        if not row.prices:
            return _flat(found, row, reason)
        if self._is_fee_alone(found, row):
            return _flat(found, replace(row, prices={}), reason)
        key = row.key()
        for meter, price in row.prices.items():
            self.items.setdefault((day, key, meter), _item(day, key, meter, price))
        return _flat(found, row, "", key)

    def _is_fee_alone(self, found: Resolution, row: PriceRow) -> bool:
        """Return whether a hole in a model's prices is covered by its provider's fee per call only."""
        is_fee = set(row.prices) == {"tool_call"}
        return is_fee and found.model is not None and self._model(found.model).has_tokens()

    def _model(self, model: BookModel) -> ModelPrices:
        key = (model.provider, model.model)
        if key not in self._models:
            self._models[key] = ModelPrices(self._book, model, self._known_at_us)
        return self._models[key]

    def _condition_reason(self, model: BookModel, wanted: Conditions, instant_us: int) -> str:
        """Return why a model may have no price: its tier or region is not in the book, or not at the time."""
        prices = self._model(model)
        tier = None if wanted.tier == "standard" else prices.first_us(tier=wanted.tier)
        region = None if wanted.region == "global" else prices.first_us(region=wanted.region)
        if wanted.tier != "standard" and tier is None:
            return "unknown_tier"
        if wanted.region != "global" and region is None:
            return "unknown_region"
        starts = [start for start in (prices.first_us(), tier, region) if start is not None]
        # A book that begins later than the log is incomplete; one with a hole is wrong, and stops the night.
        return "no_price_yet" if instant_us < max(starts, default=0) else "price_gap"

    def _price_rows(self, model: BookModel, wanted: Conditions, day: date) -> list[PriceRow]:
        key = (model.provider, model.model, wanted, day)
        if key not in self._rows:
            self._rows[key] = merged(list(self._pieces(model, wanted, day)))
        return self._rows[key]

    def _pieces(self, model: BookModel, wanted: Conditions, day: date) -> Iterator[PriceRow]:
        prices = self._model(model)
        windows = [p for name in prices.calendars for p in self._book.calendars[name].open_periods(day)]
        edges = prices.edges_us() | {edge for window in windows for edge in (window.start_us, window.end_us)}
        for period in day_period(day).cut(edges | self._contract_edges):
            found = {meter: prices.source_at(wanted, meter, period.start_us) for meter in attempt_meters()}
            sources = {meter: source for meter, source in found.items() if source is not None}
            starts = sorted(
                {0, *(band.from_tokens for source in sources.values() for band in source.entry.bands)}
            )
            for start, end in zip(starts, [*starts[1:], LARGEST_BIGINT], strict=True):
                yield PriceRow(period, start, end, self._prices(model, wanted, sources, start, period, day))

    def _prices(
        self,
        model: BookModel,
        wanted: Conditions,
        sources: dict[str, Source],
        tokens: int,
        period: Period,
        day: date,
    ) -> dict[str, Priced]:
        """Return the prices of the meters for a request of so many input tokens, contracts laid over."""
        prices: dict[str, Priced] = {}
        for meter, source in sources.items():
            scope = (model.provider, model.model, meter, wanted.tier)
            contract = contract_at(self._book.contracts, scope, period.start_us, self._known_at_us)
            price = price_of(self._book, source, tokens, day, contract, meter)
            if price is not None:
                prices[meter] = price
        return prices


def _flat(found: Resolution, row: PriceRow, reason: str, key: int | None = None) -> Row:
    flat: Row = {
        "valid_from_us": row.period.start_us,
        "valid_until_us": row.period.end_us,
        "input_from_tokens": row.input_from_tokens,
        "input_until_tokens": row.input_until_tokens,
        "provider": found.provider,
        "model": found.shown_model,
        "price_key": key,
        "is_billable": found.is_billable,
        "reason_code": reason,
    }
    for meter, price in row.prices.items():
        flat[f"{meter}_list_pico_usd"] = price.list_pico_usd
        flat[f"{meter}_contracted_pico_usd"] = price.contracted_pico_usd
    return flat


def _item(day: date, key: int, meter: str, price: Priced) -> Row:
    entry = price.entry
    return {
        "usage_date": day,
        "price_key": key,
        "meter": meter,
        "price_entry": entry.content,
        "entry_file": entry.facts.place.file,
        "entry_line": entry.facts.place.line,
        "entry_id": entry.entry_id,
        "list_amount": price.published.amount,
        "list_unit": f"{entry.currency} {price.published.quote.replace('_', ' ')}",
        "currency": entry.currency,
        "source_url": entry.facts.source_url,
        "checked_date": entry.facts.checked,
        "valid_from_us": price.in_force.start_us,
        "valid_until_us": price.in_force.end_us,
        "known_from_us": entry.known.start_us,
        "steps": price.steps,
    }
