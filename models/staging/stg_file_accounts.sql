-- What became of the records of each file at landing.
-- grain: one row per file, kind of record and reason
-- key: file_sha256, record_kind, reason_code
-- refresh: full
with stg_file_accounts as (
    select
        file_sha256,
        file_name,
        source,
        record_kind,
        reason_code,
        record_count
    from raw_file_accounts
)

select * from stg_file_accounts
