-- Distinct combinations of the tags that say whose attempt it is; the mapping file is applied to these.
-- grain: one row per owner key and day
-- key: usage_date, owner_key
-- refresh: window
with stg_owner_keys as (
    select
        usage_date,
        owner_key,
        source,
        feature_tag,
        team_tag,
        project_tag,
        environment_tag,
        customer_hash,
        api_key_hash,
        route,
        count(*) as attempt_count
    from stg_attempts
    where
        usage_date >= $window_start
        and usage_date < $window_end
    group by
        usage_date,
        owner_key,
        source,
        feature_tag,
        team_tag,
        project_tag,
        environment_tag,
        customer_hash,
        api_key_hash,
        route
)

select * from stg_owner_keys
