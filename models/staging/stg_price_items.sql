-- Where each price in force came from: entry, source and the steps of its making.
-- grain: one row per price in force on a day and meter
-- key: usage_date, price_key, meter
-- refresh: window
with stg_price_items as (
    select
        usage_date,
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
    from raw_price_items
    where
        usage_date >= $window_start
        and usage_date < $window_end
)

select * from stg_price_items
