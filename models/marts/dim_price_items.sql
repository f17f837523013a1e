-- Where each price came from: entry, source, the day somebody looked, and the steps of its making.
-- grain: one row per price and meter
-- key: price_key, meter
-- refresh: full
with latest as (
    select
        price_key,
        meter,
        price_entry,
        entry_file,
        entry_line,
        entry_id,
        list_amount,
        list_unit,
        currency,
        source_url,
        checked_date,
        valid_from_us,
        valid_until_us,
        known_from_us,
        steps,
        -- An entry may have moved in its file since an earlier day was priced: the last place is the true one.
        row_number() over (partition by price_key, meter order by usage_date desc) as day_rank
    from stg_price_items
),

dim_price_items as (
    select
        price_key,
        meter,
        price_entry,
        entry_file,
        entry_line,
        entry_id,
        list_amount,
        list_unit,
        currency,
        source_url,
        checked_date,
        valid_from_us,
        valid_until_us,
        known_from_us,
        steps
    from latest
    where
        day_rank = 1
)

select * from dim_price_items
