-- The whole input and the whole output of every attempt are in the ledger, by its profile or its stated total.
-- grain: one row per attempt whose totals differ
-- refresh: window
with stated as (
    select
        attempt.usage_date,
        attempt.attempt_key,
        attempt.usage_basis <> 'missing' and profile.usage_profile is not null as is_known,
        attempt.reported_input,
        attempt.reported_output,
        attempt.reported_total - attempt.reported_input - attempt.reported_output as gap,
        coalesce(attempt.reported_cached, 0) as cached,
        coalesce(attempt.reported_cache_write_5m, 0) + coalesce(attempt.reported_cache_write_30m, 0)
        + coalesce(attempt.reported_cache_write_1h, 0) + coalesce(attempt.reported_cache_write_12h, 0) as split_write,
        coalesce(attempt.reported_cache_write, split_write) as written,
        coalesce(attempt.reported_reasoning, 0) as reasoning,
        coalesce(attempt.reported_input_audio, 0) + coalesce(attempt.reported_input_image, 0) as media_input,
        coalesce(attempt.reported_output_audio, 0) + coalesce(attempt.reported_output_image, 0) as media_output,
        case
            when not profile.is_cached_in_input then cached
            when profile.is_exclusive_if_exceeding and cached + written > attempt.reported_input then cached
            else 0
        end as outer_cached,
        case
            when not profile.is_cache_write_in_input then written
            when profile.is_exclusive_if_exceeding and cached + written > attempt.reported_input then written
            else 0
        end as outer_written,
        case when profile.is_reasoning_in_output then 0 else reasoning end as outer_reasoning
    from stg_attempts as attempt
    left join stg_usage_profiles as profile
        on attempt.usage_profile = profile.usage_profile
    where
        attempt.usage_date >= $window_start
        and attempt.usage_date < $window_end
),

-- Where a stated total contradicts the profile: the readings that give it, one row each.
fitting as (
    select
        stated.usage_date,
        stated.attempt_key,
        stated.cached * reading.c + stated.written * reading.w as outer_input,
        stated.reasoning * reading.r as outer_output
    from stated
    cross join (
        values (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 1, 1)
    ) as reading(c, w, r)
    where
        stated.gap <> stated.outer_cached + stated.outer_written + stated.outer_reasoning
        and stated.gap = stated.cached * reading.c + stated.written * reading.w + stated.reasoning * reading.r
        and (stated.cached > 0 or reading.c = 0)
        and (stated.written > 0 or reading.w = 0)
        and (stated.reasoning > 0 or reading.r = 0)
),

sole as (
    select
        usage_date,
        attempt_key,
        min(outer_input) as outer_input,
        min(outer_output) as outer_output
    from fitting
    group by
        usage_date,
        attempt_key
    having
        count(*) = 1
),

found as (
    select
        usage_date,
        attempt_key,
        cast(sum(case when meter like 'input_%' or meter like 'cache_%' then quantity else 0 end) as bigint) as found_input,
        cast(sum(case when meter like 'output_%' then quantity else 0 end) as bigint) as found_output
    from int_cost_lines
    where
        usage_date >= $window_start
        and usage_date < $window_end
    group by
        usage_date,
        attempt_key
),

whole as (
    select
        stated.usage_date,
        stated.attempt_key,
        coalesce(sole.outer_input, stated.outer_cached + stated.outer_written) as added_input,
        coalesce(sole.outer_output, stated.outer_reasoning) as added_output,
        coalesce(stated.reported_input + added_input, cached + written + media_input) as whole_input,
        coalesce(stated.reported_output + added_output, reasoning + media_output) as whole_output,
        is_known and split_write <= written and cached + written + media_input <= whole_input
            and reasoning + media_output <= whole_output as is_usable
    from stated
    left join sole
        on stated.usage_date = sole.usage_date
        and stated.attempt_key = sole.attempt_key
),

check_totals as (
    select
        whole.usage_date,
        whole.attempt_key,
        cast(case when whole.is_usable then whole.whole_input else 0 end as decimal(38,0)) as expected_input_tokens,
        cast(coalesce(found.found_input, 0) as decimal(38,0)) as found_input_tokens,
        cast(case when whole.is_usable then whole.whole_output else 0 end as decimal(38,0)) as expected_output_tokens,
        cast(coalesce(found.found_output, 0) as decimal(38,0)) as found_output_tokens
    from whole
    left join found
        on whole.usage_date = found.usage_date
        and whole.attempt_key = found.attempt_key
    where
        case when whole.is_usable then whole.whole_input else 0 end <> coalesce(found.found_input, 0)
        or case when whole.is_usable then whole.whole_output else 0 end <> coalesce(found.found_output, 0)
)

select * from check_totals
