-- Every part that an attempt states is in the ledger under its meter, unpriced lines included.
-- grain: one row per attempt and meter that differ
-- refresh: window
with stated as (
    select
        attempt.usage_date,
        attempt.attempt_key,
        attempt.reported_cached,
        attempt.reported_cache_write_5m,
        attempt.reported_cache_write_30m,
        attempt.reported_cache_write_1h,
        attempt.reported_cache_write_12h,
        attempt.reported_input_audio,
        attempt.reported_input_image,
        attempt.reported_reasoning,
        attempt.reported_output_audio,
        attempt.reported_output_image,
        attempt.reported_tool_calls,
        coalesce(provider.default_cache_write_meter, 'cache_write_5m') as rest_meter,
        coalesce(
            attempt.reported_cache_write
            - coalesce(attempt.reported_cache_write_5m, 0) - coalesce(attempt.reported_cache_write_30m, 0)
            - coalesce(attempt.reported_cache_write_1h, 0) - coalesce(attempt.reported_cache_write_12h, 0),
            0
        ) as rest_write
    from stg_attempts as attempt
    left join stg_providers as provider
        on attempt.provider = provider.provider
    -- Counts that no meter can be made of are in no line; check_totals says for itself which those are.
    inner join int_meters as meters
        on attempt.usage_date = meters.usage_date
        and attempt.attempt_key = meters.attempt_key
        and meters.reason_code = ''
    where
        attempt.usage_date >= $window_start
        and attempt.usage_date < $window_end
),

expected as (
    select
        stated.usage_date,
        stated.attempt_key,
        meter.meter,
        case meter.meter
            when 'cache_read' then reported_cached
            when 'cache_write_5m' then coalesce(reported_cache_write_5m, 0) + case when rest_meter = 'cache_write_5m' then rest_write else 0 end
            when 'cache_write_30m' then coalesce(reported_cache_write_30m, 0) + case when rest_meter = 'cache_write_30m' then rest_write else 0 end
            when 'cache_write_1h' then coalesce(reported_cache_write_1h, 0) + case when rest_meter = 'cache_write_1h' then rest_write else 0 end
            when 'cache_write_12h' then coalesce(reported_cache_write_12h, 0) + case when rest_meter = 'cache_write_12h' then rest_write else 0 end
            when 'input_audio' then reported_input_audio
            when 'input_image' then reported_input_image
            when 'output_reasoning' then reported_reasoning
            when 'output_audio' then reported_output_audio
            when 'output_image' then reported_output_image
            when 'tool_call' then reported_tool_calls
        end as quantity
    from stated
    cross join (
        values
            ('cache_read'), ('cache_write_5m'), ('cache_write_30m'), ('cache_write_1h'), ('cache_write_12h'),
            ('input_audio'), ('input_image'), ('output_reasoning'), ('output_audio'), ('output_image'),
            ('tool_call')
    ) as meter(meter)
),

positive as (
    select
        usage_date,
        attempt_key,
        meter,
        quantity
    from expected
    where
        quantity > 0
),

found as (
    select
        usage_date,
        attempt_key,
        meter,
        cast(sum(quantity) as bigint) as quantity
    from int_cost_lines
    where
        usage_date >= $window_start
        and usage_date < $window_end
        and meter not in ('input_uncached', 'output_text', 'request')
    group by
        usage_date,
        attempt_key,
        meter
),

check_quantities as (
    select
        coalesce(expected.usage_date, found.usage_date) as usage_date,
        coalesce(expected.attempt_key, found.attempt_key) as attempt_key,
        coalesce(expected.meter, found.meter) as meter,
        cast(expected.quantity as decimal(38,0)) as expected,
        cast(found.quantity as decimal(38,0)) as found
    from positive as expected
    full outer join found
        on expected.usage_date = found.usage_date
        and expected.attempt_key = found.attempt_key
        and expected.meter = found.meter
    where
        coalesce(expected.quantity, 0) <> coalesce(found.quantity, 0)
)

select * from check_quantities
