-- Reported counts split once into exclusive meters: every token lies in exactly one.
-- grain: one row per attempt
-- key: usage_date, attempt_key
-- refresh: window
with counted as (
    select
        attempt.usage_date,
        attempt.attempt_key,
        attempt.used_at_us,
        attempt.rate_card_key,
        attempt.usage_basis,
        attempt.reported_cached,
        attempt.reported_cache_write_5m as write_5m,
        attempt.reported_cache_write_30m as write_30m,
        attempt.reported_cache_write_1h as write_1h,
        attempt.reported_cache_write_12h as write_12h,
        attempt.reported_input_audio as input_audio,
        attempt.reported_input_image as input_image,
        attempt.reported_reasoning,
        attempt.reported_output_audio as output_audio,
        attempt.reported_output_image as output_image,
        attempt.reported_tool_calls as tool_calls,
        coalesce(attempt.reported_cached, 0) as cached,
        coalesce(attempt.reported_reasoning, 0) as reasoning,
        coalesce(write_5m, 0) + coalesce(write_30m, 0) + coalesce(write_1h, 0) + coalesce(write_12h, 0) as split_write,
        coalesce(attempt.reported_cache_write, split_write) as written,
        coalesce(input_audio, 0) + coalesce(input_image, 0) as media_input,
        coalesce(output_audio, 0) + coalesce(output_image, 0) as media_output,
        -- What lies outside the reported input and output is added to them: by the profile, unless the stated
        -- total says otherwise.
        coalesce(profile.is_exclusive_if_exceeding and cached + written > attempt.reported_input, false) as is_exceeding,
        case when profile.is_cached_in_input and not is_exceeding then 0 else cached end as profile_cached,
        case when profile.is_cache_write_in_input and not is_exceeding then 0 else written end as profile_written,
        case when profile.is_reasoning_in_output then 0 else reasoning end as profile_reasoning,
        attempt.reported_input
        + coalesce(reading.outer_cached_tokens, profile_cached)
        + coalesce(reading.outer_cache_write_tokens, profile_written) as stated_input,
        attempt.reported_output + coalesce(reading.outer_reasoning_tokens, profile_reasoning) as stated_output,
        stated_input - cached - written - media_input as uncached,
        stated_output - reasoning - media_output as plain_output,
        coalesce(stated_input, nullif(cached + written + media_input, 0)) as whole_input,
        coalesce(stated_output, nullif(reasoning + media_output, 0)) as whole_output,
        -- A stated total of 0 makes its unstated parts 0.
        case when stated_input = 0 then cast(0 as bigint) end as no_input,
        case when stated_output = 0 then cast(0 as bigint) end as no_output,
        case when stated_input = 0 or attempt.reported_cache_write = 0 then cast(0 as bigint) end as no_write,
        written - split_write as rest_write,
        case when rest_write > 0 then coalesce(provider.default_cache_write_meter, 'cache_write_5m') end as rest_meter,
        case
            when attempt.usage_basis = 'missing' then 'usage_missing'
            when profile.usage_profile is null then 'unknown_usage_profile'
            when uncached < 0 or plain_output < 0 or rest_write < 0 or cached < 0 or reasoning < 0 or tool_calls < 0
                or write_5m < 0 or write_30m < 0 or write_1h < 0 or write_12h < 0 or input_audio < 0
                or input_image < 0 or output_audio < 0 or output_image < 0 then 'negative_remainder'
            when (stated_input is null or stated_output is null)
                and coalesce(whole_input, 0) + coalesce(whole_output, 0) + coalesce(tool_calls, 0) = 0 then 'usage_missing'
            else ''
        end as reason_code
    from stg_attempts as attempt
    left join stg_usage_profiles as profile
        on attempt.usage_profile = profile.usage_profile
    left join stg_providers as provider
        on attempt.provider = provider.provider
    left join int_readings as reading
        on attempt.usage_date = reading.usage_date
        and attempt.attempt_key = reading.attempt_key
    where
        attempt.usage_date >= $window_start
        and attempt.usage_date < $window_end
),

int_meters as (
    select
        usage_date,
        attempt_key,
        used_at_us,
        rate_card_key,
        case when reason_code = '' then whole_input end as input_total_tokens,
        case when reason_code = '' then whole_output end as output_total_tokens,
        case when reason_code = '' then uncached end as input_uncached_quantity,
        case when reason_code = '' then coalesce(reported_cached, no_input) end as cache_read_quantity,
        case when reason_code <> '' then null when rest_meter = 'cache_write_5m' then coalesce(write_5m, 0) + rest_write
            else coalesce(write_5m, no_write) end as cache_write_5m_quantity,
        case when reason_code <> '' then null when rest_meter = 'cache_write_30m' then coalesce(write_30m, 0) + rest_write
            else coalesce(write_30m, no_write) end as cache_write_30m_quantity,
        case when reason_code <> '' then null when rest_meter = 'cache_write_1h' then coalesce(write_1h, 0) + rest_write
            else coalesce(write_1h, no_write) end as cache_write_1h_quantity,
        case when reason_code <> '' then null when rest_meter = 'cache_write_12h' then coalesce(write_12h, 0) + rest_write
            else coalesce(write_12h, no_write) end as cache_write_12h_quantity,
        case when reason_code = '' then coalesce(input_audio, no_input) end as input_audio_quantity,
        case when reason_code = '' then coalesce(input_image, no_input) end as input_image_quantity,
        case when reason_code = '' then plain_output end as output_text_quantity,
        case when reason_code = '' then coalesce(reported_reasoning, no_output) end as output_reasoning_quantity,
        case when reason_code = '' then coalesce(output_audio, no_output) end as output_audio_quantity,
        case when reason_code = '' then coalesce(output_image, no_output) end as output_image_quantity,
        case when reason_code = '' then tool_calls end as tool_call_quantity,
        cast(1 as bigint) as request_quantity,
        reason_code = '' and reported_cached is null and coalesce(stated_input, 0) > 0 as is_input_assumed,
        reason_code = '' and reported_reasoning is null and coalesce(stated_output, 0) > 0 as is_output_assumed,
        reason_code = '' and rest_meter is not null as is_cache_write_assumed,
        case when reason_code = '' then rest_meter end as assumed_cache_write_meter,
        usage_basis = 'estimated' as is_usage_estimated,
        reason_code = 'usage_missing' as is_usage_missing,
        reason_code
    from counted
)

select * from int_meters
