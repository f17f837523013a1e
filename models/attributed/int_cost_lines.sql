-- The ledger: one row per meter of each attempt, with its money, its purpose and how certain it is.
-- grain: one row per attempt and meter
-- key: usage_date, attempt_key, meter
-- refresh: window
with lines as (
    select
        usage_date,
        attempt_key,
        'input_uncached' as meter,
        rate_card_key,
        provider,
        model,
        price_key,
        is_billable,
        reason_code,
        is_usage_estimated,
        case when is_input_assumed then 'input_split_not_stated' else '' end as assumed_reason_code,
        input_uncached_quantity as quantity,
        input_uncached_list_cost_pico_usd as list_cost_pico_usd,
        input_uncached_contracted_cost_pico_usd as contracted_cost_pico_usd
    from int_metered_costs
    where
        usage_date >= $window_start
        and usage_date < $window_end
        and input_uncached_quantity > 0

    union all

    select
        usage_date,
        attempt_key,
        'cache_read' as meter,
        rate_card_key,
        provider,
        model,
        price_key,
        is_billable,
        reason_code,
        is_usage_estimated,
        '' as assumed_reason_code,
        cache_read_quantity as quantity,
        cache_read_list_cost_pico_usd as list_cost_pico_usd,
        cache_read_contracted_cost_pico_usd as contracted_cost_pico_usd
    from int_metered_costs
    where
        usage_date >= $window_start
        and usage_date < $window_end
        and cache_read_quantity > 0

    union all

    select
        usage_date,
        attempt_key,
        'cache_write_5m' as meter,
        rate_card_key,
        provider,
        model,
        price_key,
        is_billable,
        reason_code,
        is_usage_estimated,
        case when assumed_cache_write_meter = 'cache_write_5m' then 'cache_write_lifetime_not_stated' else '' end as assumed_reason_code,
        cache_write_5m_quantity as quantity,
        cache_write_5m_list_cost_pico_usd as list_cost_pico_usd,
        cache_write_5m_contracted_cost_pico_usd as contracted_cost_pico_usd
    from int_metered_costs
    where
        usage_date >= $window_start
        and usage_date < $window_end
        and cache_write_5m_quantity > 0

    union all

    select
        usage_date,
        attempt_key,
        'cache_write_30m' as meter,
        rate_card_key,
        provider,
        model,
        price_key,
        is_billable,
        reason_code,
        is_usage_estimated,
        case when assumed_cache_write_meter = 'cache_write_30m' then 'cache_write_lifetime_not_stated' else '' end as assumed_reason_code,
        cache_write_30m_quantity as quantity,
        cache_write_30m_list_cost_pico_usd as list_cost_pico_usd,
        cache_write_30m_contracted_cost_pico_usd as contracted_cost_pico_usd
    from int_metered_costs
    where
        usage_date >= $window_start
        and usage_date < $window_end
        and cache_write_30m_quantity > 0

    union all

    select
        usage_date,
        attempt_key,
        'cache_write_1h' as meter,
        rate_card_key,
        provider,
        model,
        price_key,
        is_billable,
        reason_code,
        is_usage_estimated,
        case when assumed_cache_write_meter = 'cache_write_1h' then 'cache_write_lifetime_not_stated' else '' end as assumed_reason_code,
        cache_write_1h_quantity as quantity,
        cache_write_1h_list_cost_pico_usd as list_cost_pico_usd,
        cache_write_1h_contracted_cost_pico_usd as contracted_cost_pico_usd
    from int_metered_costs
    where
        usage_date >= $window_start
        and usage_date < $window_end
        and cache_write_1h_quantity > 0

    union all

    select
        usage_date,
        attempt_key,
        'cache_write_12h' as meter,
        rate_card_key,
        provider,
        model,
        price_key,
        is_billable,
        reason_code,
        is_usage_estimated,
        case when assumed_cache_write_meter = 'cache_write_12h' then 'cache_write_lifetime_not_stated' else '' end as assumed_reason_code,
        cache_write_12h_quantity as quantity,
        cache_write_12h_list_cost_pico_usd as list_cost_pico_usd,
        cache_write_12h_contracted_cost_pico_usd as contracted_cost_pico_usd
    from int_metered_costs
    where
        usage_date >= $window_start
        and usage_date < $window_end
        and cache_write_12h_quantity > 0

    union all

    select
        usage_date,
        attempt_key,
        'input_audio' as meter,
        rate_card_key,
        provider,
        model,
        price_key,
        is_billable,
        reason_code,
        is_usage_estimated,
        '' as assumed_reason_code,
        input_audio_quantity as quantity,
        input_audio_list_cost_pico_usd as list_cost_pico_usd,
        input_audio_contracted_cost_pico_usd as contracted_cost_pico_usd
    from int_metered_costs
    where
        usage_date >= $window_start
        and usage_date < $window_end
        and input_audio_quantity > 0

    union all

    select
        usage_date,
        attempt_key,
        'input_image' as meter,
        rate_card_key,
        provider,
        model,
        price_key,
        is_billable,
        reason_code,
        is_usage_estimated,
        '' as assumed_reason_code,
        input_image_quantity as quantity,
        input_image_list_cost_pico_usd as list_cost_pico_usd,
        input_image_contracted_cost_pico_usd as contracted_cost_pico_usd
    from int_metered_costs
    where
        usage_date >= $window_start
        and usage_date < $window_end
        and input_image_quantity > 0

    union all

    select
        usage_date,
        attempt_key,
        'output_text' as meter,
        rate_card_key,
        provider,
        model,
        price_key,
        is_billable,
        reason_code,
        is_usage_estimated,
        case when is_output_assumed then 'output_split_not_stated' else '' end as assumed_reason_code,
        output_text_quantity as quantity,
        output_text_list_cost_pico_usd as list_cost_pico_usd,
        output_text_contracted_cost_pico_usd as contracted_cost_pico_usd
    from int_metered_costs
    where
        usage_date >= $window_start
        and usage_date < $window_end
        and output_text_quantity > 0

    union all

    select
        usage_date,
        attempt_key,
        'output_reasoning' as meter,
        rate_card_key,
        provider,
        model,
        price_key,
        is_billable,
        reason_code,
        is_usage_estimated,
        '' as assumed_reason_code,
        output_reasoning_quantity as quantity,
        output_reasoning_list_cost_pico_usd as list_cost_pico_usd,
        output_reasoning_contracted_cost_pico_usd as contracted_cost_pico_usd
    from int_metered_costs
    where
        usage_date >= $window_start
        and usage_date < $window_end
        and output_reasoning_quantity > 0

    union all

    select
        usage_date,
        attempt_key,
        'output_audio' as meter,
        rate_card_key,
        provider,
        model,
        price_key,
        is_billable,
        reason_code,
        is_usage_estimated,
        '' as assumed_reason_code,
        output_audio_quantity as quantity,
        output_audio_list_cost_pico_usd as list_cost_pico_usd,
        output_audio_contracted_cost_pico_usd as contracted_cost_pico_usd
    from int_metered_costs
    where
        usage_date >= $window_start
        and usage_date < $window_end
        and output_audio_quantity > 0

    union all

    select
        usage_date,
        attempt_key,
        'output_image' as meter,
        rate_card_key,
        provider,
        model,
        price_key,
        is_billable,
        reason_code,
        is_usage_estimated,
        '' as assumed_reason_code,
        output_image_quantity as quantity,
        output_image_list_cost_pico_usd as list_cost_pico_usd,
        output_image_contracted_cost_pico_usd as contracted_cost_pico_usd
    from int_metered_costs
    where
        usage_date >= $window_start
        and usage_date < $window_end
        and output_image_quantity > 0

    union all

    select
        usage_date,
        attempt_key,
        'tool_call' as meter,
        rate_card_key,
        provider,
        model,
        price_key,
        is_billable,
        reason_code,
        is_usage_estimated,
        '' as assumed_reason_code,
        tool_call_quantity as quantity,
        tool_call_list_cost_pico_usd as list_cost_pico_usd,
        tool_call_contracted_cost_pico_usd as contracted_cost_pico_usd
    from int_metered_costs
    where
        usage_date >= $window_start
        and usage_date < $window_end
        and tool_call_quantity > 0

    union all

    -- An attempt without any other line keeps its place with this one: what it cost is 0 where every count is
    -- stated as 0, and unknown where the counts are.
    select
        usage_date,
        attempt_key,
        'request' as meter,
        rate_card_key,
        provider,
        model,
        price_key,
        is_billable,
        reason_code,
        is_usage_estimated,
        '' as assumed_reason_code,
        request_quantity as quantity,
        case
            when is_billable and is_usage_unknown then null
            else coalesce(request_list_cost_pico_usd, 0)
        end as list_cost_pico_usd,
        case
            when is_billable and is_usage_unknown then null
            else coalesce(request_contracted_cost_pico_usd, 0)
        end as contracted_cost_pico_usd
    from int_metered_costs
    where
        usage_date >= $window_start
        and usage_date < $window_end
        and (
            (is_billable and request_list_cost_pico_usd is not null)
            or (
                coalesce(input_uncached_quantity, 0) = 0
                and coalesce(cache_read_quantity, 0) = 0
                and coalesce(cache_write_5m_quantity, 0) = 0
                and coalesce(cache_write_30m_quantity, 0) = 0
                and coalesce(cache_write_1h_quantity, 0) = 0
                and coalesce(cache_write_12h_quantity, 0) = 0
                and coalesce(input_audio_quantity, 0) = 0
                and coalesce(input_image_quantity, 0) = 0
                and coalesce(output_text_quantity, 0) = 0
                and coalesce(output_reasoning_quantity, 0) = 0
                and coalesce(output_audio_quantity, 0) = 0
                and coalesce(output_image_quantity, 0) = 0
                and coalesce(tool_call_quantity, 0) = 0
            )
        )
),

int_cost_lines as (
    select
        line.usage_date,
        line.attempt_key,
        line.meter,
        request.request_key,
        request.request_date,
        request.source,
        request.owner_key,
        line.rate_card_key,
        coalesce(owner.feature, '(unassigned)') as feature,
        coalesce(owner.team, '(unassigned)') as team,
        coalesce(owner.environment, '(unassigned)') as environment,
        line.provider,
        line.model,
        'metered' as charge_basis,
        request.purpose,
        request.outcome,
        case
            when not line.is_billable then 'stated'
            when line.list_cost_pico_usd is null or line.contracted_cost_pico_usd is null then 'unknown'
            when line.is_usage_estimated then 'estimated'
            when line.assumed_reason_code <> '' then 'assumed'
            else 'stated'
        end as certainty,
        case
            when not line.is_billable then line.reason_code
            when line.list_cost_pico_usd is null or line.contracted_cost_pico_usd is null then
                case when line.reason_code = '' then 'meter_not_priced' else line.reason_code end
            when line.is_usage_estimated then 'estimated_usage'
            else line.assumed_reason_code
        end as reason_code,
        line.is_billable,
        line.quantity,
        line.price_key,
        line.list_cost_pico_usd,
        line.contracted_cost_pico_usd,
        line.contracted_cost_pico_usd as effective_cost_pico_usd
    from lines as line
    inner join int_requests as request
        on line.usage_date = request.usage_date
        and line.attempt_key = request.attempt_key
    left join stg_owners as owner
        on request.usage_date = owner.usage_date
        and request.owner_key = owner.owner_key
    where
        request.usage_date >= $window_start
        and request.usage_date < $window_end
)

select * from int_cost_lines
