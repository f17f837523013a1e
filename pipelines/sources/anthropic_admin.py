"""Reader of Anthropic's usage report of messages: pages of buckets, as the admin API gives them.

Provider aggregates: they check the attempts and are never added to them. Input counts exclude the cache.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pipelines.sources.base import Batch, ReadOptions, Row
from pipelines.sources.json_pages import pages_results, read_pages
from pipelines.sources.rows import AGGREGATE_FIELDS, identity_of, row_of
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import child, iso_us

SOURCE = "anthropic.usage_report"
VERSION = 1
TABLE = "raw_usage_aggregates"
CONSTANTS: dict[str, Any] = {"provider": "anthropic", "usage_profile": "anthropic.messages"}
FIELDS = tuple(name for name in AGGREGATE_FIELDS if name not in CONSTANTS)
GROUPED_BY = ("model", "workspace_id", "api_key_id", "service_tier", "context_window", "inference_geo")


def sniff(head: bytes) -> bool:
    """Whether the head is that of a usage report."""
    return b'"uncached_input_tokens"' in head and b'"starting_at"' in head and b'"amount"' not in head


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per result of a bucket."""
    del options
    return read_pages(stream, pages_results, parse)


def parse(found: tuple[Mapping[str, Any], Mapping[str, Any]]) -> Row:
    """Returns one result under canonical names."""
    bucket, result = found
    start, end = iso_us(bucket["starting_at"], "$.starting_at"), iso_us(bucket["ending_at"], "$.ending_at")
    lives = child(result, "cache_creation", "$")
    short, long = lives.get("ephemeral_5m_input_tokens", 0), lives.get("ephemeral_1h_input_tokens", 0)
    return row_of(
        FIELDS,
        source_event_id=identity_of(start, end, *(result.get(name) for name in GROUPED_BY)),
        period_start_us=start,
        period_end_us=end,
        served_model=result.get("model"),
        service_tier=result.get("service_tier"),
        region=result.get("inference_geo"),
        project_tag=result.get("workspace_id"),
        api_key=result.get("api_key_id"),
        reported_uncached=result.get("uncached_input_tokens"),
        reported_cached=result.get("cache_read_input_tokens"),
        reported_cache_write=short + long,
        reported_cache_write_5m=short,
        reported_cache_write_1h=long,
        reported_output=result.get("output_tokens"),
        reported_tool_calls=child(result, "server_tool_use", "$").get("web_search_requests"),
    )
