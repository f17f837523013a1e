-- The request each attempt belongs to, and why its money was spent.
-- grain: one row per attempt
-- key: usage_date, attempt_key
-- refresh: window
with stg_attempts as (
    select
        usage_date,
        attempt_key,
        stated_request_key,
        source,
        owner_key,
        outcome,
        used_at_us,
        ended_at_us
    from stg_attempts
    where
        usage_date >= cast($window_start as date) - 1
        and usage_date < cast($window_end as date) + 1
),

-- Only attempts that state a request can belong together.
tried as (
    select
        usage_date,
        attempt_key,
        stated_request_key,
        outcome,
        used_at_us,
        lag(used_at_us) over (partition by stated_request_key order by used_at_us, attempt_key) as previous_us
    from stg_attempts
    where
        stated_request_key is not null
),

-- A pause of more than 60 minutes starts a new chain, known by the instant it starts.
chained as (
    select
        usage_date,
        attempt_key,
        stated_request_key,
        outcome,
        used_at_us,
        max(
            case when previous_us is null or used_at_us - previous_us > cast(3600000000 as bigint) then used_at_us end
        ) over (
            partition by stated_request_key
            order by used_at_us, attempt_key
            rows between unbounded preceding and current row
        ) as chain_us
    from tried
),

-- Farther than 20 hours from the start of its chain an attempt stands alone: that start is then beyond the
-- reach of a window, so no other answer would be the same for every window.
grouped as (
    select
        usage_date,
        attempt_key,
        stated_request_key,
        outcome,
        used_at_us,
        chain_us,
        case when used_at_us - chain_us > cast(72000000000 as bigint) then attempt_key end as lone_key
    from chained
),

ordered as (
    select
        usage_date,
        attempt_key,
        cast(row_number() over by_time as bigint) as attempt_number,
        first_value(attempt_key) over by_time as request_key,
        first_value(usage_date) over by_time as request_date,
        first_value(outcome) over by_time_backwards as last_outcome,
        first_value(attempt_key) over by_answer as best_attempt_key,
        first_value(outcome) over by_answer as best_outcome
    from grouped
    window
        by_time as (partition by stated_request_key, chain_us, lone_key order by used_at_us, attempt_key),
        by_time_backwards as (
            partition by stated_request_key, chain_us, lone_key
            order by used_at_us desc, attempt_key desc
        ),
        -- An attempt of unknown outcome answers only where no success is stated.
        by_answer as (
            partition by stated_request_key, chain_us, lone_key
            order by case outcome when 'success' then 0 when 'unknown' then 1 else 2 end, used_at_us, attempt_key
        )
),

int_requests as (
    select
        attempt.usage_date,
        attempt.attempt_key,
        coalesce(ordered.request_key, attempt.attempt_key) as request_key,
        coalesce(ordered.request_date, attempt.usage_date) as request_date,
        coalesce(ordered.attempt_number, cast(1 as bigint)) as attempt_number,
        coalesce(ordered.attempt_number, cast(1 as bigint)) = 1 as is_first_attempt,
        case
            when coalesce(ordered.best_outcome, attempt.outcome) in ('success', 'unknown')
                and coalesce(ordered.best_attempt_key, attempt.attempt_key) = attempt.attempt_key then 'answer'
            when coalesce(ordered.best_outcome, attempt.outcome) in ('success', 'unknown') then 'retry'
            when coalesce(ordered.last_outcome, attempt.outcome) = 'cancelled' then 'abandoned'
            else 'failure'
        end as purpose,
        attempt.source,
        attempt.owner_key,
        attempt.outcome,
        attempt.used_at_us,
        attempt.ended_at_us
    from stg_attempts as attempt
    left join ordered
        on attempt.usage_date = ordered.usage_date
        and attempt.attempt_key = ordered.attempt_key
    where
        attempt.usage_date >= $window_start
        and attempt.usage_date < $window_end
)

select * from int_requests
