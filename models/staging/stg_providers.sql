-- What is known of each provider.
-- grain: one row per provider
-- key: provider
-- refresh: full
with stg_providers as (
    select
        provider,
        default_cache_write_meter
    from raw_providers
)

select * from stg_providers
