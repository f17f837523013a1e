-- The published requests and their daily sums add up to the ledger, for each measure.
-- grain: one row per table and day that differ
-- refresh: window on request_date
with ledger as (
    select
        view.view_name,
        line.request_date,
        count(distinct line.attempt_key) as attempt_count,
        cast(cast(sum(list_cost_pico_usd) as decimal(25,0)) * cast('0.000000000001' as decimal(12,12)) as decimal(38,12)) as list_cost_usd,
        cast(cast(sum(contracted_cost_pico_usd) as decimal(25,0)) * cast('0.000000000001' as decimal(12,12)) as decimal(38,12)) as contracted_cost_usd,
        cast(cast(sum(effective_cost_pico_usd) as decimal(25,0)) * cast('0.000000000001' as decimal(12,12)) as decimal(38,12)) as effective_cost_usd
    from int_cost_lines as line
    cross join (values ('fct_requests'), ('agg_daily_requests')) as view(view_name)
    where
        -- A request may go on into the day after the one it counts on.
        line.usage_date >= $window_start
        and line.usage_date < cast($window_end as date) + 1
        and line.request_date >= $window_start
        and line.request_date < $window_end
    group by
        view.view_name,
        line.request_date
),

found as (
    select
        'fct_requests' as view_name,
        request_date,
        cast(sum(attempt_count) as bigint) as attempt_count,
        cast(sum(list_cost_usd) as decimal(38,12)) as list_cost_usd,
        cast(sum(contracted_cost_usd) as decimal(38,12)) as contracted_cost_usd,
        cast(sum(effective_cost_usd) as decimal(38,12)) as effective_cost_usd
    from fct_requests
    where
        request_date >= $window_start
        and request_date < $window_end
    group by
        request_date

    union all

    select
        'agg_daily_requests' as view_name,
        request_date,
        cast(sum(attempt_count) as bigint) as attempt_count,
        cast(sum(list_cost_usd) as decimal(38,12)) as list_cost_usd,
        cast(sum(contracted_cost_usd) as decimal(38,12)) as contracted_cost_usd,
        cast(sum(effective_cost_usd) as decimal(38,12)) as effective_cost_usd
    from agg_daily_requests
    where
        request_date >= $window_start
        and request_date < $window_end
    group by
        request_date
),

check_request_views as (
    select
        coalesce(ledger.view_name, found.view_name) as view_name,
        coalesce(ledger.request_date, found.request_date) as request_date,
        ledger.attempt_count,
        found.attempt_count as found_attempt_count,
        ledger.list_cost_usd,
        found.list_cost_usd as found_list_cost_usd,
        ledger.contracted_cost_usd,
        found.contracted_cost_usd as found_contracted_cost_usd,
        ledger.effective_cost_usd,
        found.effective_cost_usd as found_effective_cost_usd
    from ledger
    full outer join found
        on ledger.view_name = found.view_name
        and ledger.request_date = found.request_date
    where
        coalesce(ledger.attempt_count, 0) <> coalesce(found.attempt_count, 0)
        or coalesce(ledger.list_cost_usd, 0) <> coalesce(found.list_cost_usd, 0)
        or coalesce(ledger.contracted_cost_usd, 0) <> coalesce(found.contracted_cost_usd, 0)
        or coalesce(ledger.effective_cost_usd, 0) <> coalesce(found.effective_cost_usd, 0)
)

select * from check_request_views
