-- Owners of each combination of tags, by the mapping file.
-- grain: one row per owner key and day
-- key: usage_date, owner_key
-- refresh: window
with stg_owners as (
    select
        usage_date,
        owner_key,
        feature,
        team,
        project,
        environment,
        customer,
        mapping_rule
    from raw_owners
    where
        usage_date >= $window_start
        and usage_date < $window_end
)

select * from stg_owners
