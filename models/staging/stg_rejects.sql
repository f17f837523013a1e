-- Records that could not be read, with the reason.
-- grain: one row per rejected record
-- key: file_sha256, record_position
-- refresh: full
with stg_rejects as (
    select
        file_sha256,
        record_position,
        source,
        reason_code,
        detail,
        excerpt
    from raw_rejects
)

select * from stg_rejects
