-- What callers wanted, once each, with the money of all its attempts.
-- grain: one row per request
-- key: request_date, request_key
-- refresh: window on request_date
with int_requests as (
    select
        usage_date,
        attempt_key,
        request_key,
        request_date,
        purpose,
        used_at_us,
        ended_at_us,
        -- A request is named after the attempt that answered, else after the last one.
        row_number() over (
            partition by request_date, request_key
            order by case when purpose = 'answer' then 0 else 1 end, used_at_us desc, attempt_key desc
        ) = 1 as is_naming
    from int_requests
    where
        -- A request may go on into the day after the one it counts on.
        usage_date >= $window_start
        and usage_date < cast($window_end as date) + 1
        and request_date >= $window_start
        and request_date < $window_end
),

attempt_costs as (
    select
        usage_date,
        attempt_key,
        feature,
        team,
        environment,
        provider,
        model,
        max(
            case when list_cost_pico_usd is null or contracted_cost_pico_usd is null then 1 else 0 end
        ) as is_unpriced,
        cast(sum(list_cost_pico_usd) as decimal(25,0)) as list_cost,
        cast(sum(contracted_cost_pico_usd) as decimal(25,0)) as contracted_cost,
        cast(sum(effective_cost_pico_usd) as decimal(25,0)) as effective_cost
    from int_cost_lines
    where
        usage_date >= $window_start
        and usage_date < cast($window_end as date) + 1
        and request_date >= $window_start
        and request_date < $window_end
    group by
        usage_date,
        attempt_key,
        feature,
        team,
        environment,
        provider,
        model
),

fct_requests as (
    select
        attempt.request_date,
        attempt.request_key,
        max(case when attempt.is_naming then cost.feature end) as feature,
        max(case when attempt.is_naming then cost.team end) as team,
        max(case when attempt.is_naming then cost.environment end) as environment,
        max(case when attempt.is_naming then cost.provider end) as provider,
        max(case when attempt.is_naming then cost.model end) as model,
        min(attempt.used_at_us) as first_used_at_us,
        max(attempt.ended_at_us) as last_ended_at_us,
        count(*) as attempt_count,
        max(case when attempt.purpose = 'answer' then 1 else 0 end) = 1 as is_answered,
        max(case when attempt.purpose = 'answer' then attempt.attempt_key end) as answer_attempt_key,
        cast(sum(cost.is_unpriced) as bigint) as unpriced_attempt_count,
        cast(cast(sum(cost.list_cost) as decimal(25,0)) * cast('0.000000000001' as decimal(12,12)) as decimal(38,12))
        as list_cost_usd,
        cast(cast(sum(cost.contracted_cost) as decimal(25,0)) * cast('0.000000000001' as decimal(12,12)) as decimal(38,12))
        as contracted_cost_usd,
        cast(cast(sum(cost.effective_cost) as decimal(25,0)) * cast('0.000000000001' as decimal(12,12)) as decimal(38,12))
        as effective_cost_usd
    from int_requests as attempt
    inner join attempt_costs as cost
        on attempt.usage_date = cost.usage_date
        and attempt.attempt_key = cost.attempt_key
    group by
        attempt.request_date,
        attempt.request_key
)

select * from fct_requests
