-- What each file brought to each day.
-- grain: one row per file and day
-- key: usage_date, file_sha256
-- refresh: window
with records as (
    select
        usage_date,
        file_sha256,
        false as is_duplicate
    from stg_attempts
    where
        usage_date >= $window_start
        and usage_date < $window_end

    union all

    select
        usage_date,
        file_sha256,
        true as is_duplicate
    from stg_duplicates
    where
        usage_date >= $window_start
        and usage_date < $window_end
),

fct_file_days as (
    select
        usage_date,
        file_sha256,
        count(*) filter (where not is_duplicate) as attempt_count,
        count(*) filter (where is_duplicate) as duplicate_count
    from records
    group by
        usage_date,
        file_sha256
)

select * from fct_file_days
