-- Requests and their money by the day of the first attempt: what one request costs.
-- grain: one row per day, owner and model of the answering, else the last attempt
-- key: request_date, feature, team, environment, provider, model
-- refresh: window on request_date
with agg_daily_requests as (
    select
        request_date,
        feature,
        team,
        environment,
        provider,
        model,
        count(*) as request_count,
        count(*) filter (where is_answered) as answered_count,
        cast(sum(attempt_count) as bigint) as attempt_count,
        cast(sum(case when is_answered then attempt_count - 1 else 0 end) as bigint) as retry_attempt_count,
        cast(sum(unpriced_attempt_count) as bigint) as unpriced_attempt_count,
        cast(sum(list_cost_usd) as decimal(38,12)) as list_cost_usd,
        cast(sum(contracted_cost_usd) as decimal(38,12)) as contracted_cost_usd,
        cast(sum(effective_cost_usd) as decimal(38,12)) as effective_cost_usd
    from fct_requests
    where
        request_date >= $window_start
        and request_date < $window_end
    group by
        request_date,
        feature,
        team,
        environment,
        provider,
        model
)

select * from agg_daily_requests
