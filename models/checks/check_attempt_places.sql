-- Every attempt has a line in the ledger, and every line an attempt.
-- grain: one row per attempt on one side only
-- refresh: window
with attempts as (
    select
        usage_date,
        attempt_key
    from stg_attempts
    where
        usage_date >= $window_start
        and usage_date < $window_end
),

lines as (
    select
        usage_date,
        attempt_key,
        count(*) as line_count
    from int_cost_lines
    where
        usage_date >= $window_start
        and usage_date < $window_end
    group by
        usage_date,
        attempt_key
),

check_attempt_places as (
    select
        coalesce(attempt.usage_date, line.usage_date) as usage_date,
        coalesce(attempt.attempt_key, line.attempt_key) as attempt_key,
        coalesce(line.line_count, 0) as line_count,
        case when attempt.attempt_key is null then 'line without attempt' else 'attempt without line' end as measure
    from attempts as attempt
    full outer join lines as line
        on attempt.usage_date = line.usage_date
        and attempt.attempt_key = line.attempt_key
    where
        attempt.attempt_key is null
        or line.attempt_key is null
)

select * from check_attempt_places
