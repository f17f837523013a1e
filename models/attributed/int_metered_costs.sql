-- Each attempt priced, one column per meter. An attempt without a price keeps its place with its cost unknown.
-- grain: one row per attempt
-- key: usage_date, attempt_key
-- refresh: window
-- Columns are taken straight from the two tables: imported first by name they would be listed three times.
with int_metered_costs as (
    select
        meters.usage_date,
        meters.attempt_key,
        meters.rate_card_key,
        coalesce(prices.provider, '(unknown)') as provider,
        coalesce(prices.model, '(unknown)') as model,
        prices.price_key,
        coalesce(prices.is_billable, true) as is_billable,
        case
            when prices.rate_card_key is null then 'no_price_row'
            when prices.is_billable and meters.reason_code <> '' then meters.reason_code
            else prices.reason_code
        end as reason_code,
        meters.assumed_cache_write_meter,
        meters.is_input_assumed,
        meters.is_output_assumed,
        meters.is_usage_estimated,
        meters.reason_code <> '' as is_usage_unknown,
        meters.input_uncached_quantity,
        meters.cache_read_quantity,
        meters.cache_write_5m_quantity,
        meters.cache_write_30m_quantity,
        meters.cache_write_1h_quantity,
        meters.cache_write_12h_quantity,
        meters.input_audio_quantity,
        meters.input_image_quantity,
        meters.output_text_quantity,
        meters.output_reasoning_quantity,
        meters.output_audio_quantity,
        meters.output_image_quantity,
        meters.tool_call_quantity,
        meters.request_quantity,
        meters.input_uncached_quantity * prices.input_uncached_list_pico_usd as input_uncached_list_cost_pico_usd,
        meters.input_uncached_quantity * prices.input_uncached_contracted_pico_usd as input_uncached_contracted_cost_pico_usd,
        meters.cache_read_quantity * prices.cache_read_list_pico_usd as cache_read_list_cost_pico_usd,
        meters.cache_read_quantity * prices.cache_read_contracted_pico_usd as cache_read_contracted_cost_pico_usd,
        meters.cache_write_5m_quantity * prices.cache_write_5m_list_pico_usd as cache_write_5m_list_cost_pico_usd,
        meters.cache_write_5m_quantity * prices.cache_write_5m_contracted_pico_usd as cache_write_5m_contracted_cost_pico_usd,
        meters.cache_write_30m_quantity * prices.cache_write_30m_list_pico_usd as cache_write_30m_list_cost_pico_usd,
        meters.cache_write_30m_quantity * prices.cache_write_30m_contracted_pico_usd as cache_write_30m_contracted_cost_pico_usd,
        meters.cache_write_1h_quantity * prices.cache_write_1h_list_pico_usd as cache_write_1h_list_cost_pico_usd,
        meters.cache_write_1h_quantity * prices.cache_write_1h_contracted_pico_usd as cache_write_1h_contracted_cost_pico_usd,
        meters.cache_write_12h_quantity * prices.cache_write_12h_list_pico_usd as cache_write_12h_list_cost_pico_usd,
        meters.cache_write_12h_quantity * prices.cache_write_12h_contracted_pico_usd as cache_write_12h_contracted_cost_pico_usd,
        meters.input_audio_quantity * prices.input_audio_list_pico_usd as input_audio_list_cost_pico_usd,
        meters.input_audio_quantity * prices.input_audio_contracted_pico_usd as input_audio_contracted_cost_pico_usd,
        meters.input_image_quantity * prices.input_image_list_pico_usd as input_image_list_cost_pico_usd,
        meters.input_image_quantity * prices.input_image_contracted_pico_usd as input_image_contracted_cost_pico_usd,
        meters.output_text_quantity * prices.output_text_list_pico_usd as output_text_list_cost_pico_usd,
        meters.output_text_quantity * prices.output_text_contracted_pico_usd as output_text_contracted_cost_pico_usd,
        meters.output_reasoning_quantity * prices.output_reasoning_list_pico_usd as output_reasoning_list_cost_pico_usd,
        meters.output_reasoning_quantity * prices.output_reasoning_contracted_pico_usd as output_reasoning_contracted_cost_pico_usd,
        meters.output_audio_quantity * prices.output_audio_list_pico_usd as output_audio_list_cost_pico_usd,
        meters.output_audio_quantity * prices.output_audio_contracted_pico_usd as output_audio_contracted_cost_pico_usd,
        meters.output_image_quantity * prices.output_image_list_pico_usd as output_image_list_cost_pico_usd,
        meters.output_image_quantity * prices.output_image_contracted_pico_usd as output_image_contracted_cost_pico_usd,
        meters.tool_call_quantity * prices.tool_call_list_pico_usd as tool_call_list_cost_pico_usd,
        meters.tool_call_quantity * prices.tool_call_contracted_pico_usd as tool_call_contracted_cost_pico_usd,
        meters.request_quantity * prices.request_list_pico_usd as request_list_cost_pico_usd,
        meters.request_quantity * prices.request_contracted_pico_usd as request_contracted_cost_pico_usd
    from int_meters as meters
    left join stg_token_prices as prices
        on meters.usage_date = prices.usage_date
        and meters.rate_card_key = prices.rate_card_key
        and meters.used_at_us >= prices.valid_from_us
        and meters.used_at_us < prices.valid_until_us
        and coalesce(meters.input_total_tokens, 0) >= prices.input_from_tokens
        and coalesce(meters.input_total_tokens, 0) < prices.input_until_tokens
    where
        meters.usage_date >= $window_start
        and meters.usage_date < $window_end
)

select * from int_metered_costs
