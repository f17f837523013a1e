-- Distinct combinations of everything a price depends on but time and size; prices are compiled for these.
-- grain: one row per rate card and day
-- key: usage_date, rate_card_key
-- refresh: window
with stg_rate_cards as (
    select
        usage_date,
        rate_card_key,
        source,
        provider,
        requested_model,
        served_model,
        deployment,
        service_tier,
        processing,
        region,
        speed,
        outcome,
        error_class,
        has_output,
        is_gateway_cache_hit,
        count(*) as attempt_count,
        cast(sum(reported_input) as decimal(38,0)) as reported_input_tokens,
        cast(sum(reported_output) as decimal(38,0)) as reported_output_tokens
    from stg_attempts
    where
        usage_date >= $window_start
        and usage_date < $window_end
    group by
        usage_date,
        rate_card_key,
        source,
        provider,
        requested_model,
        served_model,
        deployment,
        service_tier,
        processing,
        region,
        speed,
        outcome,
        error_class,
        has_output,
        is_gateway_cache_hit
)

select * from stg_rate_cards
