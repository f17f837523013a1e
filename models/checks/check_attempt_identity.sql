-- One attempt key stands for one record id of one source: two would have been merged.
-- grain: one row per record under a key that stands for several ids
-- refresh: window
with versions as (
    select
        usage_date,
        attempt_key,
        source,
        source_event_id,
        file_sha256,
        record_position
    from raw_attempts
    where
        usage_date >= cast($window_start as date) - 1
        and usage_date < cast($window_end as date) + 1
),

clashing as (
    select
        attempt_key
    from versions
    group by
        attempt_key
    having
        min(source) <> max(source)
        or min(source_event_id) <> max(source_event_id)
),

check_attempt_identity as (
    select
        version.usage_date,
        version.attempt_key,
        version.source,
        version.source_event_id,
        version.file_sha256,
        version.record_position
    from versions as version
    inner join clashing
        on version.attempt_key = clashing.attempt_key
    where
        version.usage_date >= $window_start
        and version.usage_date < $window_end
)

select * from check_attempt_identity
