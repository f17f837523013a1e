"""No two meters change places between quantity, price and cost: each is priced by its own distinct number."""

from datetime import date

import pyarrow as pa

from models.engines.base import Engine
from models.registry import METERS, models

DAY = date(2026, 10, 19)
WINDOW = {"window_start": DAY, "window_end": date(2026, 10, 20)}


def table(row: dict[str, object]) -> pa.Table:
    return pa.Table.from_pylist([row])


def test_every_meter_takes_its_own_quantity_and_price(engine: Engine) -> None:
    keys = {"usage_date": DAY, "attempt_key": 1, "used_at_us": 5, "rate_card_key": 7, "input_total_tokens": 1}
    flags = dict.fromkeys(("is_input_assumed", "is_output_assumed", "is_usage_estimated"), False)
    quantities = {f"{meter}_quantity": 10 + place for place, meter in enumerate(METERS)}
    text = {"reason_code": "", "assumed_cache_write_meter": "cache_write_5m"}
    engine.load("int_meters", table(keys | flags | quantities | text))
    limits = {"valid_from_us": 0, "valid_until_us": 9, "input_from_tokens": 0, "input_until_tokens": 9}
    prices = {
        f"{meter}_{kind}_pico_usd": 1000 * (place + 1) + offset
        for place, meter in enumerate(METERS)
        for kind, offset in (("list", 1), ("contracted", 2))
    }
    named = {"provider": "openai", "model": "m", "price_key": 3, "is_billable": True, "reason_code": ""}
    card = {"usage_date": DAY, "rate_card_key": 7}
    engine.load("stg_token_prices", table(card | limits | prices | named))
    (cost,) = engine.fetch(models()["int_metered_costs"].sql, WINDOW).to_pylist()
    for place, meter in enumerate(METERS):
        assert cost[f"{meter}_list_cost_pico_usd"] == (10 + place) * (1000 * (place + 1) + 1), meter
        assert cost[f"{meter}_contracted_cost_pico_usd"] == (10 + place) * (1000 * (place + 1) + 2), meter
