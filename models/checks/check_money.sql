-- Every line costs its quantity times the price in force, for each measure, and no fee per call is left out.
-- grain: one row per line whose money differs, or attempt whose fee per call has no line
-- refresh: window
with lines as (
    select
        usage_date,
        attempt_key,
        meter,
        certainty,
        quantity,
        list_cost_pico_usd,
        contracted_cost_pico_usd,
        effective_cost_pico_usd,
        cast(
            sum(case when meter like 'input_%' or meter like 'cache_%' then quantity else 0 end) over (
                partition by usage_date, attempt_key
            ) as bigint
        ) as whole_input,
        max(case when meter = 'request' then 1 else 0 end) over (
            partition by usage_date, attempt_key
        ) as has_request_line
    from int_cost_lines
    where
        usage_date >= $window_start
        and usage_date < $window_end
),

expected as (
    select
        line.usage_date,
        line.attempt_key,
        line.meter,
        attempt.source,
        line.has_request_line = 0 and price.is_billable
            and price.request_list_pico_usd is not null as is_fee_left_out,
        -- The line that only keeps the place of an attempt costs nothing, or is as unknown as the counts.
        case
            when not price.is_billable then 0
            when line.meter = 'request' and line.certainty = 'unknown' then null
            when line.meter = 'request' then coalesce(price.request_list_pico_usd, 0)
            else line.quantity * case line.meter
            when 'input_uncached' then price.input_uncached_list_pico_usd
            when 'cache_read' then price.cache_read_list_pico_usd
            when 'cache_write_5m' then price.cache_write_5m_list_pico_usd
            when 'cache_write_30m' then price.cache_write_30m_list_pico_usd
            when 'cache_write_1h' then price.cache_write_1h_list_pico_usd
            when 'cache_write_12h' then price.cache_write_12h_list_pico_usd
            when 'input_audio' then price.input_audio_list_pico_usd
            when 'input_image' then price.input_image_list_pico_usd
            when 'output_text' then price.output_text_list_pico_usd
            when 'output_reasoning' then price.output_reasoning_list_pico_usd
            when 'output_audio' then price.output_audio_list_pico_usd
            when 'output_image' then price.output_image_list_pico_usd
            when 'tool_call' then price.tool_call_list_pico_usd
            end
        end as expected_list_cost_pico_usd,
        line.list_cost_pico_usd,
        case
            when not price.is_billable then 0
            when line.meter = 'request' and line.certainty = 'unknown' then null
            when line.meter = 'request' then coalesce(price.request_contracted_pico_usd, 0)
            else line.quantity * case line.meter
            when 'input_uncached' then price.input_uncached_contracted_pico_usd
            when 'cache_read' then price.cache_read_contracted_pico_usd
            when 'cache_write_5m' then price.cache_write_5m_contracted_pico_usd
            when 'cache_write_30m' then price.cache_write_30m_contracted_pico_usd
            when 'cache_write_1h' then price.cache_write_1h_contracted_pico_usd
            when 'cache_write_12h' then price.cache_write_12h_contracted_pico_usd
            when 'input_audio' then price.input_audio_contracted_pico_usd
            when 'input_image' then price.input_image_contracted_pico_usd
            when 'output_text' then price.output_text_contracted_pico_usd
            when 'output_reasoning' then price.output_reasoning_contracted_pico_usd
            when 'output_audio' then price.output_audio_contracted_pico_usd
            when 'output_image' then price.output_image_contracted_pico_usd
            when 'tool_call' then price.tool_call_contracted_pico_usd
            end
        end as expected_contracted_cost_pico_usd,
        line.contracted_cost_pico_usd,
        line.effective_cost_pico_usd
    from lines as line
    inner join stg_attempts as attempt
        on line.usage_date = attempt.usage_date
        and line.attempt_key = attempt.attempt_key
    left join stg_token_prices as price
        on attempt.usage_date = price.usage_date
        and attempt.rate_card_key = price.rate_card_key
        and attempt.used_at_us >= price.valid_from_us
        and attempt.used_at_us < price.valid_until_us
        and line.whole_input >= price.input_from_tokens
        and line.whole_input < price.input_until_tokens
    where
        attempt.usage_date >= $window_start
        and attempt.usage_date < $window_end
),

check_money as (
    select
        usage_date,
        attempt_key,
        meter,
        source,
        is_fee_left_out,
        expected_list_cost_pico_usd,
        list_cost_pico_usd,
        expected_contracted_cost_pico_usd,
        contracted_cost_pico_usd,
        -- Nothing is known of credits or commitments, so what is effective is what is contracted.
        expected_contracted_cost_pico_usd as expected_effective_cost_pico_usd,
        effective_cost_pico_usd
    from expected
    where
        is_fee_left_out
        or list_cost_pico_usd is distinct from expected_list_cost_pico_usd
        or contracted_cost_pico_usd is distinct from expected_contracted_cost_pico_usd
        or effective_cost_pico_usd is distinct from expected_contracted_cost_pico_usd
)

select * from check_money
