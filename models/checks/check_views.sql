-- The published lines and daily sums add up to the ledger, by feature, model and purpose, for each measure.
-- grain: one row per table, day and cell that differ
-- refresh: window
with ledger as (
    select
        view.view_name,
        line.usage_date,
        line.feature,
        line.model,
        line.purpose,
        count(*) as line_count,
        cast(cast(sum(list_cost_pico_usd) as decimal(25,0)) * cast('0.000000000001' as decimal(12,12)) as decimal(38,12)) as list_cost_usd,
        cast(cast(sum(contracted_cost_pico_usd) as decimal(25,0)) * cast('0.000000000001' as decimal(12,12)) as decimal(38,12)) as contracted_cost_usd,
        cast(cast(sum(effective_cost_pico_usd) as decimal(25,0)) * cast('0.000000000001' as decimal(12,12)) as decimal(38,12)) as effective_cost_usd
    from int_cost_lines as line
    cross join (values ('fct_cost_lines'), ('agg_daily_costs')) as view(view_name)
    where
        line.usage_date >= $window_start
        and line.usage_date < $window_end
    group by
        view.view_name,
        line.usage_date,
        line.feature,
        line.model,
        line.purpose
),

found as (
    select
        'fct_cost_lines' as view_name,
        usage_date,
        feature,
        model,
        purpose,
        count(*) as line_count,
        cast(sum(list_cost_usd) as decimal(38,12)) as list_cost_usd,
        cast(sum(contracted_cost_usd) as decimal(38,12)) as contracted_cost_usd,
        cast(sum(effective_cost_usd) as decimal(38,12)) as effective_cost_usd
    from fct_cost_lines
    where
        usage_date >= $window_start
        and usage_date < $window_end
    group by
        usage_date,
        feature,
        model,
        purpose

    union all

    select
        'agg_daily_costs' as view_name,
        usage_date,
        feature,
        model,
        purpose,
        cast(sum(line_count) as bigint) as line_count,
        cast(sum(list_cost_usd) as decimal(38,12)) as list_cost_usd,
        cast(sum(contracted_cost_usd) as decimal(38,12)) as contracted_cost_usd,
        cast(sum(effective_cost_usd) as decimal(38,12)) as effective_cost_usd
    from agg_daily_costs
    where
        usage_date >= $window_start
        and usage_date < $window_end
    group by
        usage_date,
        feature,
        model,
        purpose
),

check_views as (
    select
        coalesce(ledger.view_name, found.view_name) as view_name,
        coalesce(ledger.usage_date, found.usage_date) as usage_date,
        coalesce(ledger.feature, found.feature) as feature,
        coalesce(ledger.model, found.model) as model,
        coalesce(ledger.purpose, found.purpose) as purpose,
        ledger.line_count,
        found.line_count as found_line_count,
        ledger.list_cost_usd,
        found.list_cost_usd as found_list_cost_usd,
        ledger.contracted_cost_usd,
        found.contracted_cost_usd as found_contracted_cost_usd,
        ledger.effective_cost_usd,
        found.effective_cost_usd as found_effective_cost_usd
    from ledger
    full outer join found
        on ledger.view_name = found.view_name
        and ledger.usage_date = found.usage_date
        and ledger.feature = found.feature
        and ledger.model = found.model
        and ledger.purpose = found.purpose
    where
        coalesce(ledger.line_count, 0) <> coalesce(found.line_count, 0)
        or coalesce(ledger.list_cost_usd, 0) <> coalesce(found.list_cost_usd, 0)
        or coalesce(ledger.contracted_cost_usd, 0) <> coalesce(found.contracted_cost_usd, 0)
        or coalesce(ledger.effective_cost_usd, 0) <> coalesce(found.effective_cost_usd, 0)
)

select * from check_views
