-- Money and quantities of a day by everything a report cuts them by.
-- grain: one row per day and combination of owner, model, meter, purpose, outcome and certainty
-- key: usage_date, feature, team, environment, provider, model, meter, charge_basis, purpose, outcome, certainty, reason_code, is_billable
-- refresh: window
with agg_daily_costs as (
    select
        usage_date,
        feature,
        team,
        environment,
        provider,
        model,
        meter,
        charge_basis,
        purpose,
        outcome,
        certainty,
        reason_code,
        is_billable,
        count(*) as line_count,
        count(*) filter (
            where
                list_cost_pico_usd is null
                or contracted_cost_pico_usd is null
        ) as unpriced_line_count,
        cast(sum(quantity) as decimal(38,0)) as quantity,
        cast(cast(sum(list_cost_pico_usd) as decimal(25,0)) * cast('0.000000000001' as decimal(12,12)) as decimal(38,12)) as list_cost_usd,
        cast(cast(sum(contracted_cost_pico_usd) as decimal(25,0)) * cast('0.000000000001' as decimal(12,12)) as decimal(38,12)) as contracted_cost_usd,
        cast(cast(sum(effective_cost_pico_usd) as decimal(25,0)) * cast('0.000000000001' as decimal(12,12)) as decimal(38,12)) as effective_cost_usd
    from int_cost_lines
    where
        usage_date >= $window_start
        and usage_date < $window_end
    group by
        usage_date,
        feature,
        team,
        environment,
        provider,
        model,
        meter,
        charge_basis,
        purpose,
        outcome,
        certainty,
        reason_code,
        is_billable
)

select * from agg_daily_costs
