-- The ledger as published: its lines with money in USD.
-- grain: one row per attempt and meter
-- key: usage_date, attempt_key, meter
-- refresh: window
with fct_cost_lines as (
    select
        usage_date,
        attempt_key,
        meter,
        request_key,
        request_date,
        source,
        owner_key,
        rate_card_key,
        feature,
        team,
        environment,
        provider,
        model,
        charge_basis,
        purpose,
        outcome,
        certainty,
        reason_code,
        is_billable,
        quantity,
        price_key,
        cast(cast(list_cost_pico_usd as decimal(25,0)) * cast('0.000000000001' as decimal(12,12)) as decimal(38,12)) as list_cost_usd,
        cast(cast(contracted_cost_pico_usd as decimal(25,0)) * cast('0.000000000001' as decimal(12,12)) as decimal(38,12)) as contracted_cost_usd,
        cast(cast(effective_cost_pico_usd as decimal(25,0)) * cast('0.000000000001' as decimal(12,12)) as decimal(38,12)) as effective_cost_usd
    from int_cost_lines
    where
        usage_date >= $window_start
        and usage_date < $window_end
)

select * from fct_cost_lines
