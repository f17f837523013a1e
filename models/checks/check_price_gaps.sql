-- No attempt falls into a hole of the price book: its model is known, but not what it cost at that time.
-- grain: one row per day, provider and model with attempts that no price covers in time
-- refresh: window
with attempts as (
    select
        usage_date,
        attempt_key,
        provider,
        model,
        reason_code
    from int_metered_costs
    where
        usage_date >= $window_start
        and usage_date < $window_end
),

times as (
    select
        usage_date,
        attempt_key,
        used_at_us
    from stg_attempts
    where
        usage_date >= $window_start
        and usage_date < $window_end
),

check_price_gaps as (
    select
        attempt.usage_date,
        attempt.provider,
        attempt.model,
        attempt.reason_code,
        count(*) as attempt_count,
        min(time.used_at_us) as first_used_at_us,
        max(time.used_at_us) as last_used_at_us
    from attempts as attempt
    inner join times as time
        on attempt.usage_date = time.usage_date
        and attempt.attempt_key = time.attempt_key
    where
        attempt.reason_code = 'price_gap'
    group by
        attempt.usage_date,
        attempt.provider,
        attempt.model,
        attempt.reason_code
)

select * from check_price_gaps
