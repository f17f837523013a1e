"""From the providers' own usage fields to exclusive meters: which profile, which counts, what is inside what.

The same split is made for landed records in SQL (`int_meters.sql`); this one reads the providers' raw
objects. Nothing is clipped: a part larger than its whole is refused with both numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pricing.errors import PriceBookError
from pricing.price_book import PriceBook
from pricing.rules import Profile
from pricing.usage_paths import number

WRITES = ("cache_write_5m", "cache_write_30m", "cache_write_1h", "cache_write_12h")


@dataclass
class Meters:
    """Whole tokens per exclusive meter of one record, the whole input, and what had to be assumed."""

    quantities: dict[str, int] = field(default_factory=dict[str, int])
    input_total: int = 0
    output_total: int = 0
    notes: list[str] = field(default_factory=list[str])
    profile: str = ""


@dataclass(frozen=True)
class Inside:
    """Which counts are part of the input and output counts of a record."""

    cached: bool
    written: bool
    reasoning: bool

    def input_total(self, counts: Mapping[str, int], written: int) -> int:
        """Return the whole input in tokens."""
        apart = (0 if self.cached else counts.get("cached", 0)) + (0 if self.written else written)
        return counts.get("input", 0) + apart

    def output_total(self, counts: Mapping[str, int]) -> int:
        """Return the whole output in tokens."""
        return counts.get("output", 0) + (0 if self.reasoning else counts.get("reasoning", 0))

    def total(self, counts: Mapping[str, int], written: int) -> int:
        """Return input and output together in tokens."""
        return self.input_total(counts, written) + self.output_total(counts)


def find_profile(
    book: PriceBook, provider: str, usage: Mapping[str, object], api: str | None
) -> Profile | None:
    """Return the profile whose shape a usage object has, or None; a stated API narrows the choice."""
    fitting = [
        profile
        for profile in book.profiles.values()
        if provider in profile.text.providers and profile.text.has in usage
    ]
    narrowed = [profile for profile in fitting if api is not None and profile.name.endswith(f".{api}")]
    return next(iter(narrowed or fitting), None)


def read_meters(book: PriceBook, provider: str, profile: Profile, record: Mapping[str, object]) -> Meters:
    """Return the tokens of a record ({"usage": …, "context": …}) per exclusive meter."""
    counts = _counts(profile, record)
    meters = Meters(profile=profile.name)
    if profile.text.is_estimated:
        meters.notes.append("estimated_usage")
    writes = _writes(book, provider, counts, meters)
    inside = _inside(profile, counts, sum(writes.values()))
    _split_input(inside, counts, writes, meters)
    _split_output(inside, counts, meters)
    meters.quantities = {meter: tokens for meter, tokens in meters.quantities.items() if tokens}
    return meters


def _counts(profile: Profile, record: Mapping[str, object]) -> dict[str, int]:
    """Return the counts that the record states, by our name; paths of one count are added up."""
    counts: dict[str, int] = {}
    for name, paths in profile.text.counts.items():
        rooted = [path if path.startswith("context.") else f"usage.{path}" for path in paths]
        found = [value for value in (number(record, path) for path in rooted) if value is not None]
        if not found:
            continue
        value = sum(found)
        if value < 0 or value != int(value):
            raise PriceBookError(
                f"The count {name} is {value} · profile {profile.name}. A count is a whole number."
            )
        counts[name] = int(value)
    return counts


def _writes(book: PriceBook, provider: str, counts: dict[str, int], meters: Meters) -> dict[str, int]:
    """Return the written tokens per lifetime; without a stated one the provider's default, assumed."""
    writes = {meter: counts[meter] for meter in WRITES if counts.get(meter)}
    total = counts.get("cache_write", sum(writes.values()))
    rest = _remainder("cache writes", total, writes)
    if rest:
        default = book.providers[provider].text.default_cache_write_meter
        if default is None:
            raise PriceBookError(
                f"{rest} cache writes of '{provider}' state no lifetime and it has no default one."
            )
        writes[default] = writes.get(default, 0) + rest
        meters.notes.append("cache_write_lifetime_not_stated")
    return writes


def _inside(profile: Profile, counts: dict[str, int], written: int) -> Inside:
    """Return what is inside what: as the profile says, or as the total that the record states proves."""
    text = profile.text
    declared = Inside(text.is_cached_in_input, text.is_cache_write_in_input, text.is_reasoning_in_output)
    stated = counts.get("total")
    if stated is None:
        return declared
    other_reasoning = replace(declared, reasoning=not declared.reasoning)
    other_input = replace(declared, cached=not declared.cached, written=not declared.written)
    for reading in (declared, other_reasoning, other_input):
        if reading.total(counts, written) == stated:
            return reading
    raise PriceBookError(
        f"The usage states a total of {stated}, its parts give {declared.total(counts, written)} · profile "
        f"{profile.name}. The fields mean something else than it says: add a profile for this source."
    )


def _split_input(inside: Inside, counts: dict[str, int], writes: dict[str, int], meters: Meters) -> None:
    cached = counts.get("cached", 0)
    total = inside.input_total(counts, sum(writes.values()))
    reads = {
        "cache_read_audio": counts.get("cached_audio", 0),
        "cache_read_image": counts.get("cached_image", 0),
    }
    parts = {
        "cache_read": _remainder("cached", cached, reads),
        **reads,
        **writes,
        "input_audio": _remainder(
            "input_audio", counts.get("input_audio", 0), {"cached": reads["cache_read_audio"]}
        ),
        "input_image": _remainder(
            "input_image", counts.get("input_image", 0), {"cached": reads["cache_read_image"]}
        ),
        "input_video": counts.get("input_video", 0),
    }
    meters.quantities["input_uncached"] = _remainder("input", total, parts)
    meters.quantities.update(parts)
    meters.input_total = total


def _split_output(inside: Inside, counts: dict[str, int], meters: Meters) -> None:
    total = inside.output_total(counts)
    parts = {
        "output_reasoning": counts.get("reasoning", 0),
        "output_audio": counts.get("output_audio", 0),
        "output_image": counts.get("output_image", 0),
        "output_video": counts.get("output_video", 0),
    }
    meters.quantities["output_text"] = _remainder("output", total, parts)
    meters.quantities.update(parts)
    meters.output_total = total


def _remainder(whole: str, total: int, parts: Mapping[str, int]) -> int:
    rest = total - sum(parts.values())
    if rest < 0:
        inside = ", ".join(f"{name} {tokens}" for name, tokens in parts.items() if tokens)
        raise PriceBookError(f"The parts of {whole} are larger than the whole: {inside} in {total} ({rest}).")
    return rest
