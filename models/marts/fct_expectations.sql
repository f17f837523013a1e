-- What the last load expected at its two boundaries, and how many rows it found against it.
-- grain: one row per expectation of the last load
-- key: boundary, expectation_name
-- refresh: full
with fct_expectations as (
    select
        boundary,
        expectation_name,
        table_name,
        column_name,
        rule,
        first_date,
        last_date,
        checked_row_count,
        offending_row_count,
        is_met
    from stg_expectations
)

select * from fct_expectations
