-- Attempts whose stated total overrules their usage profile, with what lies outside their reported counts.
-- grain: one row per attempt where exactly one other reading of the counts gives the stated total
-- key: usage_date, attempt_key
-- refresh: window
with stated as (
    select
        attempt.usage_date,
        attempt.attempt_key,
        attempt.reported_total - attempt.reported_input - attempt.reported_output as gap,
        coalesce(attempt.reported_cached, 0) as cached,
        coalesce(
            attempt.reported_cache_write,
            coalesce(attempt.reported_cache_write_5m, 0) + coalesce(attempt.reported_cache_write_30m, 0)
            + coalesce(attempt.reported_cache_write_1h, 0) + coalesce(attempt.reported_cache_write_12h, 0)
        ) as written,
        coalesce(attempt.reported_reasoning, 0) as reasoning,
        attempt.reported_input,
        profile.is_cached_in_input,
        profile.is_cache_write_in_input,
        profile.is_reasoning_in_output,
        profile.is_exclusive_if_exceeding
    from stg_attempts as attempt
    inner join stg_usage_profiles as profile
        on attempt.usage_profile = profile.usage_profile
    where
        attempt.usage_date >= $window_start
        and attempt.usage_date < $window_end
        and attempt.reported_total is not null
        and attempt.reported_input is not null
        and attempt.reported_output is not null
),

profiled as (
    select
        usage_date,
        attempt_key,
        gap,
        cached,
        written,
        reasoning,
        case
            when is_cached_in_input and not (is_exclusive_if_exceeding and cached + written > reported_input) then 0
            else cached
        end as profile_cached,
        case
            when is_cache_write_in_input and not (is_exclusive_if_exceeding and cached + written > reported_input) then 0
            else written
        end as profile_written,
        case when is_reasoning_in_output then 0 else reasoning end as profile_reasoning
    from stated
),

-- A count of 0 lies inside as much as outside, so it makes no reading of its own.
counted as (
    select
        usage_date,
        attempt_key,
        gap,
        cached,
        written,
        reasoning,
        case when gap = 0 then 1 else 0 end
        + case when cached > 0 and gap = cached then 1 else 0 end
        + case when written > 0 and gap = written then 1 else 0 end
        + case when reasoning > 0 and gap = reasoning then 1 else 0 end
        + case when cached > 0 and written > 0 and gap = cached + written then 1 else 0 end
        + case when cached > 0 and reasoning > 0 and gap = cached + reasoning then 1 else 0 end
        + case when written > 0 and reasoning > 0 and gap = written + reasoning then 1 else 0 end
        + case when cached > 0 and written > 0 and reasoning > 0 and gap = cached + written + reasoning then 1 else 0 end
        as reading_count
    from profiled
    where
        gap <> profile_cached + profile_written + profile_reasoning
),

int_readings as (
    select
        usage_date,
        attempt_key,
        case
            when gap - cached in (0, written, reasoning, written + reasoning) then cached
            else 0
        end as outer_cached_tokens,
        case
            when gap - written in (0, cached, reasoning, cached + reasoning) then written
            else 0
        end as outer_cache_write_tokens,
        case
            when gap - reasoning in (0, cached, written, cached + written) then reasoning
            else 0
        end as outer_reasoning_tokens
    from counted
    where
        reading_count = 1
)

select * from int_readings
