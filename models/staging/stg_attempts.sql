-- Attempts: every landed record but those that another version of the same attempt replaces.
-- grain: one row per attempt
-- key: usage_date, attempt_key
-- refresh: window
with stg_duplicates as (
    select
        usage_date,
        file_sha256,
        record_position
    from stg_duplicates
    where
        usage_date >= $window_start
        and usage_date < $window_end
),

stg_attempts as (
    select
        record.usage_date,
        record.source,
        record.source_event_id,
        record.attempt_key,
        record.file_sha256,
        record.record_position,
        record.response_id,
        record.trace_id,
        record.span_id,
        record.parent_span_id,
        record.session_id,
        record.stated_request_key,
        record.stated_attempt_number,
        record.owner_key,
        record.feature_tag,
        record.team_tag,
        record.project_tag,
        record.environment_tag,
        record.customer_hash,
        record.api_key_hash,
        record.route,
        record.user_hash,
        record.rate_card_key,
        record.provider,
        record.requested_model,
        record.served_model,
        record.deployment,
        record.service_tier,
        record.processing,
        record.region,
        record.speed,
        record.operation,
        record.outcome,
        record.error_class,
        record.http_status,
        record.error_type,
        record.finish_reason,
        record.is_stream,
        record.is_gateway_cache_hit,
        record.has_output,
        record.started_at_us,
        record.first_token_at_us,
        record.ended_at_us,
        record.used_at_us,
        record.used_at_basis,
        record.time_basis,
        record.usage_profile,
        record.usage_basis,
        record.reported_input,
        record.reported_cached,
        record.reported_cache_write,
        record.reported_cache_write_5m,
        record.reported_cache_write_30m,
        record.reported_cache_write_1h,
        record.reported_cache_write_12h,
        record.reported_output,
        record.reported_reasoning,
        record.reported_total,
        record.reported_input_audio,
        record.reported_input_image,
        record.reported_output_audio,
        record.reported_output_image,
        record.reported_tool_calls
    from raw_attempts as record
    where
        record.usage_date >= $window_start
        and record.usage_date < $window_end
        and not exists (
            select
                1
            from stg_duplicates as replaced
            where
                replaced.usage_date = record.usage_date
                and replaced.file_sha256 = record.file_sha256
                and replaced.record_position = record.record_position
        )
)

select * from stg_attempts
