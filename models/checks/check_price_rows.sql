-- Every attempt finds exactly one row of prices, priced or not.
-- grain: one row per attempt that finds none or several
-- refresh: window
with attempts as (
    select
        usage_date,
        attempt_key,
        rate_card_key,
        used_at_us,
        coalesce(input_total_tokens, 0) as input_total_tokens
    from int_meters
    where
        usage_date >= $window_start
        and usage_date < $window_end
),

found as (
    select
        attempt.usage_date,
        attempt.attempt_key,
        attempt.rate_card_key,
        attempt.used_at_us,
        attempt.input_total_tokens,
        count(price.rate_card_key) as price_row_count
    from attempts as attempt
    left join stg_token_prices as price
        on attempt.usage_date = price.usage_date
        and attempt.rate_card_key = price.rate_card_key
        and attempt.used_at_us >= price.valid_from_us
        and attempt.used_at_us < price.valid_until_us
        and attempt.input_total_tokens >= price.input_from_tokens
        and attempt.input_total_tokens < price.input_until_tokens
    group by
        attempt.usage_date,
        attempt.attempt_key,
        attempt.rate_card_key,
        attempt.used_at_us,
        attempt.input_total_tokens
),

check_price_rows as (
    select
        usage_date,
        attempt_key,
        rate_card_key,
        used_at_us,
        input_total_tokens,
        cast(1 as decimal(38,0)) as expected,
        cast(price_row_count as decimal(38,0)) as found
    from found
    where
        price_row_count <> 1
)

select * from check_price_rows
