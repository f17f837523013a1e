-- Every landed record of a file and day is an attempt or a named duplicate, once.
-- grain: one row per file and day whose records do not add up
-- refresh: window
with landed as (
    select
        usage_date,
        file_sha256,
        count(*) as record_count
    from raw_attempts
    where
        usage_date >= $window_start
        and usage_date < $window_end
    group by
        usage_date,
        file_sha256
),

staged as (
    select
        usage_date,
        file_sha256
    from stg_attempts
    where
        usage_date >= $window_start
        and usage_date < $window_end

    union all

    select
        usage_date,
        file_sha256
    from stg_duplicates
    where
        usage_date >= $window_start
        and usage_date < $window_end
),

counted as (
    select
        usage_date,
        file_sha256,
        count(*) as record_count
    from staged
    group by
        usage_date,
        file_sha256
),

check_records as (
    select
        coalesce(landed.usage_date, counted.usage_date) as usage_date,
        coalesce(landed.file_sha256, counted.file_sha256) as file_sha256,
        cast(coalesce(landed.record_count, 0) as decimal(38,0)) as expected,
        cast(coalesce(counted.record_count, 0) as decimal(38,0)) as found
    from landed
    full outer join counted
        on landed.usage_date = counted.usage_date
        and landed.file_sha256 = counted.file_sha256
    where
        coalesce(landed.record_count, 0) <> coalesce(counted.record_count, 0)
)

select * from check_records
