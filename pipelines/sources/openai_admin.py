"""Reader of OpenAI's organization usage of completions and embeddings: pages of the admin API.

Provider aggregates: they check the attempts and are never added to them. Input counts include the cache.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pipelines.sources.base import Batch, ReadOptions, Row
from pipelines.sources.json_pages import pages_results, read_pages
from pipelines.sources.rows import AGGREGATE_FIELDS, identity_of, row_of
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import epoch_us

SOURCE = "openai.usage"
VERSION = 1
TABLE = "raw_usage_aggregates"
CONSTANTS: dict[str, Any] = {"provider": "openai", "usage_profile": "openai.responses"}
FIELDS = tuple(name for name in AGGREGATE_FIELDS if name not in CONSTANTS)
GROUPED_BY = ("model", "project_id", "api_key_id", "user_id", "batch", "service_tier")


def sniff(head: bytes) -> bool:
    """Whether the head is that of a page of usage results."""
    return any(
        f'"organization.usage.{kind}.result"'.encode() in head for kind in ("completions", "embeddings")
    )


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per result of a bucket."""
    del options
    return read_pages(stream, pages_results, parse)


def parse(found: tuple[Mapping[str, Any], Mapping[str, Any]]) -> Row:
    """Returns one result under canonical names."""
    bucket, result = found
    start, end = epoch_us(bucket["start_time"], "$.start_time"), epoch_us(bucket["end_time"], "$.end_time")
    return row_of(
        FIELDS,
        source_event_id=identity_of(start, end, *(result.get(name) for name in GROUPED_BY)),
        period_start_us=start,
        period_end_us=end,
        served_model=result.get("model"),
        service_tier=result.get("service_tier"),
        processing="batch" if result.get("batch") else "sync",
        project_tag=result.get("project_id"),
        api_key=result.get("api_key_id"),
        stated_request_count=result.get("num_model_requests"),
        reported_input=result.get("input_tokens"),
        reported_uncached=result.get("input_uncached_tokens"),
        reported_cached=result.get("input_cached_tokens"),
        reported_cache_write=result.get("input_cache_write_tokens", 0),
        reported_cache_write_30m=result.get("input_cache_write_30m_tokens"),
        reported_cache_write_12h=result.get("input_cache_write_12h_tokens"),
        reported_output=result.get("output_tokens"),
        reported_input_audio=result.get("input_audio_tokens"),
        reported_output_audio=result.get("output_audio_tokens"),
    )
