-- What is inside what among reported counts.
-- grain: one row per usage profile
-- key: usage_profile
-- refresh: full
with stg_usage_profiles as (
    select
        usage_profile,
        is_cached_in_input,
        is_cache_write_in_input,
        is_reasoning_in_output,
        is_exclusive_if_exceeding
    from raw_usage_profiles
)

select * from stg_usage_profiles
