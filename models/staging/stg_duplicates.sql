-- Records that another version of the same attempt replaces, each with the record that took its place.
-- grain: one row per replaced record
-- key: file_sha256, record_position
-- refresh: window
with raw_attempts as (
    select
        usage_date,
        attempt_key,
        file_sha256,
        record_position,
        record_sequence,
        is_placeholder,
        ended_at_us,
        reported_output,
        used_at_us // cast(86400000000 as bigint) as day_number
    from raw_attempts
    where
        usage_date >= cast($window_start as date) - 1
        and usage_date < cast($window_end as date) + 1
),

-- Nearly every attempt has one version, so only the others are sorted.
repeated as (
    select
        attempt_key
    from raw_attempts
    group by
        attempt_key
    having
        count(*) > 1
),

ranked as (
    select
        version.usage_date,
        version.attempt_key,
        version.file_sha256,
        version.record_position,
        version.day_number,
        row_number() over (
            partition by version.attempt_key
            order by
                version.record_sequence desc nulls last,
                version.is_placeholder asc,
                version.ended_at_us desc nulls last,
                version.reported_output desc nulls last,
                version.file_sha256 asc,
                version.record_position asc
        ) as version_rank
    from raw_attempts as version
    inner join repeated
        on version.attempt_key = repeated.attempt_key
),

-- Only versions within a day of each other compete: what a day holds then never depends on how many
-- days are built together.
reached as (
    select
        usage_date,
        attempt_key,
        file_sha256,
        record_position,
        version_rank,
        min(version_rank) over (
            partition by attempt_key
            order by day_number
            range between 1 preceding and 1 following
        ) as best_rank
    from ranked
),

stg_duplicates as (
    select
        loser.usage_date,
        loser.file_sha256,
        loser.record_position,
        loser.attempt_key,
        winner.file_sha256 as duplicate_of_file_sha256,
        winner.record_position as duplicate_of_record_position
    from reached as loser
    inner join ranked as winner
        on loser.attempt_key = winner.attempt_key
        and loser.best_rank = winner.version_rank
    where
        loser.version_rank > loser.best_rank
        and loser.usage_date >= $window_start
        and loser.usage_date < $window_end
)

select * from stg_duplicates
