-- Prices in force: one column per meter, for a span of time and a band of whole input.
-- grain: one row per rate card, day, span and context band
-- key: usage_date, rate_card_key, valid_from_us, input_from_tokens
-- refresh: window
-- What is not billed costs 0 by rule. Said here once, so that pricing is one multiplication per meter.
with stg_token_prices as (
    select
        usage_date,
        rate_card_key,
        valid_from_us,
        valid_until_us,
        input_from_tokens,
        input_until_tokens,
        provider,
        model,
        price_key,
        is_billable,
        reason_code,
        case when is_billable then input_uncached_list_pico_usd else cast(0 as bigint) end as input_uncached_list_pico_usd,
        case when is_billable then input_uncached_contracted_pico_usd else cast(0 as bigint) end as input_uncached_contracted_pico_usd,
        case when is_billable then cache_read_list_pico_usd else cast(0 as bigint) end as cache_read_list_pico_usd,
        case when is_billable then cache_read_contracted_pico_usd else cast(0 as bigint) end as cache_read_contracted_pico_usd,
        case when is_billable then cache_write_5m_list_pico_usd else cast(0 as bigint) end as cache_write_5m_list_pico_usd,
        case when is_billable then cache_write_5m_contracted_pico_usd else cast(0 as bigint) end as cache_write_5m_contracted_pico_usd,
        case when is_billable then cache_write_30m_list_pico_usd else cast(0 as bigint) end as cache_write_30m_list_pico_usd,
        case when is_billable then cache_write_30m_contracted_pico_usd else cast(0 as bigint) end as cache_write_30m_contracted_pico_usd,
        case when is_billable then cache_write_1h_list_pico_usd else cast(0 as bigint) end as cache_write_1h_list_pico_usd,
        case when is_billable then cache_write_1h_contracted_pico_usd else cast(0 as bigint) end as cache_write_1h_contracted_pico_usd,
        case when is_billable then cache_write_12h_list_pico_usd else cast(0 as bigint) end as cache_write_12h_list_pico_usd,
        case when is_billable then cache_write_12h_contracted_pico_usd else cast(0 as bigint) end as cache_write_12h_contracted_pico_usd,
        case when is_billable then input_audio_list_pico_usd else cast(0 as bigint) end as input_audio_list_pico_usd,
        case when is_billable then input_audio_contracted_pico_usd else cast(0 as bigint) end as input_audio_contracted_pico_usd,
        case when is_billable then input_image_list_pico_usd else cast(0 as bigint) end as input_image_list_pico_usd,
        case when is_billable then input_image_contracted_pico_usd else cast(0 as bigint) end as input_image_contracted_pico_usd,
        case when is_billable then output_text_list_pico_usd else cast(0 as bigint) end as output_text_list_pico_usd,
        case when is_billable then output_text_contracted_pico_usd else cast(0 as bigint) end as output_text_contracted_pico_usd,
        case when is_billable then output_reasoning_list_pico_usd else cast(0 as bigint) end as output_reasoning_list_pico_usd,
        case when is_billable then output_reasoning_contracted_pico_usd else cast(0 as bigint) end as output_reasoning_contracted_pico_usd,
        case when is_billable then output_audio_list_pico_usd else cast(0 as bigint) end as output_audio_list_pico_usd,
        case when is_billable then output_audio_contracted_pico_usd else cast(0 as bigint) end as output_audio_contracted_pico_usd,
        case when is_billable then output_image_list_pico_usd else cast(0 as bigint) end as output_image_list_pico_usd,
        case when is_billable then output_image_contracted_pico_usd else cast(0 as bigint) end as output_image_contracted_pico_usd,
        case when is_billable then tool_call_list_pico_usd else cast(0 as bigint) end as tool_call_list_pico_usd,
        case when is_billable then tool_call_contracted_pico_usd else cast(0 as bigint) end as tool_call_contracted_pico_usd,
        case when is_billable then request_list_pico_usd else cast(0 as bigint) end as request_list_pico_usd,
        case when is_billable then request_contracted_pico_usd else cast(0 as bigint) end as request_contracted_pico_usd
    from raw_token_prices
    where
        usage_date >= $window_start
        and usage_date < $window_end
)

select * from stg_token_prices
