"""The price book: load the shipped tables and a user's own files, check them together, give them a version.

A loaded book never changes. Choosing a price from it is `rate_cards.py` (which model, tier, region, billable
or not) and `amounts.py` (which amounts at which instants); flat tables are made in `compile.py`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from pathlib import Path

from pricing.calendars import Calendar
from pricing.entries import Adjustment, Alias, Entry
from pricing.gpu_rates import GpuRate, rate_entries, read_gpu_rates
from pricing.hashes import content_hash
from pricing.overlays import Commitment, Contract, check_contracts, is_overlay, read_overlay
from pricing.reading import FileFacts, read_price_file
from pricing.rules import BillingRule, CurrencyRate, Profile, Provider, Rules, load_rules
from pricing.validation import check_book
from pricing.yaml_source import YamlSource, read_yaml

TABLES = Path(__file__).parent / "tables"
GPU_FILE = "gpus.yml"
ANY_MODEL = "*"
RULE_FILES = (
    "providers.yml",
    "calendars.yml",
    "billability.yml",
    "usage_profiles.yml",
    "fees.yml",
    "rates.yml",
)


@dataclass(frozen=True)
class BookModel:
    """One model of one provider with everything that was published about its price."""

    provider: str
    model: str
    released: date | None
    entries: tuple[Entry, ...]
    adjustments: tuple[Adjustment, ...]


@dataclass(frozen=True)
class PriceBook:
    """All facts of the files it was loaded from, checked together."""

    models: dict[tuple[str, str], BookModel]
    aliases: dict[tuple[str, str], tuple[Alias, ...]]
    adjustments: tuple[Adjustment, ...]
    rules: Rules
    gpu_rates: tuple[GpuRate, ...] = ()
    contracts: tuple[Contract, ...] = ()
    commitments: tuple[Commitment, ...] = ()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Return every price entry, in the order of provider, model and file."""
        return tuple(dict.fromkeys(entry for model in self.models.values() for entry in model.entries))

    @property
    def providers(self) -> dict[str, Provider]:
        """Return the providers by OpenTelemetry name."""
        return self.rules.providers

    @property
    def calendars(self) -> dict[str, Calendar]:
        """Return the calendars by name."""
        return self.rules.calendars

    @property
    def billing_rules(self) -> tuple[BillingRule, ...]:
        """Return the rules of billability in the order in which they are tried."""
        return self.rules.billing_rules

    @property
    def profiles(self) -> dict[str, Profile]:
        """Return the usage profiles by name."""
        return self.rules.profiles

    @property
    def rates(self) -> tuple[CurrencyRate, ...]:
        """Return the dated currency rates."""
        return self.rules.rates

    @cached_property
    def version(self) -> str:
        """Return the SHA-256 of everything that can change a price."""
        facts = [
            *(_dated(entry.content, entry) for entry in self.entries),
            *(
                _dated(_alias_content(provider, alias), alias)
                for (provider, _), rows in self.aliases.items()
                for alias in rows
            ),
            *(_dated(_adjustment_content(row), row) for row in self.adjustments),
            *(content_hash(str(row.text)) for row in (*self.contracts, *self.commitments, *self.gpu_rates)),
        ]
        return content_hash([sorted(facts), self.rules.content])

    def model_ids(self, provider: str) -> list[str]:
        """Return the model ids of a provider, sorted."""
        return sorted(model for owner, model in self.models if owner == provider)


def load_price_book(extra: Sequence[Path] = ()) -> PriceBook:
    """Load the shipped tables and the files in `extra`: own prices and contracts."""
    own = [read_yaml(path, str(path)) for path in extra]
    gpu_rates = read_gpu_rates(read_yaml(TABLES / GPU_FILE, f"pricing/tables/{GPU_FILE}"))
    return make_book(own, shipped_rules(), gpu_rates, _shipped_files())


@cache
def _shipped_files() -> tuple[FileFacts, ...]:
    """Return the price files of the package, read once: they do not change while it runs."""
    paths = [path for path in sorted(TABLES.glob("*.yml")) if path.name not in (*RULE_FILES, GPU_FILE)]
    return tuple(read_price_file(read_yaml(path, f"pricing/tables/{path.name}")) for path in paths)


@cache
def shipped_rules() -> Rules:
    """Return the rules of the package: providers, calendars, billability, usage profiles, currency rates."""
    return load_rules({name: read_yaml(TABLES / name, f"pricing/tables/{name}") for name in RULE_FILES})


def make_book(
    sources: Iterable[YamlSource],
    rules: Rules,
    gpu_rates: tuple[GpuRate, ...] = (),
    shipped: Sequence[FileFacts] = (),
) -> PriceBook:
    """Return the checked book of these price files, after the shipped ones, under these rules."""
    given = list(sources)
    overlays = [read_overlay(source) for source in given if is_overlay(source)]
    files = [*shipped, *(read_price_file(source) for source in given if not is_overlay(source))]
    adjustments = tuple(row for file in files for row in file.adjustments)
    models = _models(files, adjustments)
    aliases: dict[tuple[str, str], list[Alias]] = {}
    for file in files:
        for model in file.models:
            for alias in model.aliases:
                aliases.setdefault((file.provider, alias.name), []).append(alias)
    for (provider, offer), entries in rate_entries(gpu_rates).items():
        models[provider, offer] = BookModel(provider, offer, None, entries, ())
    named = {key: tuple(rows) for key, rows in sorted(aliases.items())}
    contracts = tuple(row for rows, _ in overlays for row in rows)
    commitments = tuple(row for _, rows in overlays for row in rows)
    book = PriceBook(models, named, adjustments, rules, gpu_rates, contracts, commitments)
    check_book(book)
    check_contracts(contracts)
    return book


def _models(files: list[FileFacts], adjustments: tuple[Adjustment, ...]) -> dict[tuple[str, str], BookModel]:
    entries: dict[tuple[str, str], list[Entry]] = {}
    released: dict[tuple[str, str], date | None] = {}
    for file in files:
        for model in file.models:
            key = (file.provider, model.model)
            entries.setdefault(key, []).extend(model.entries)
            released[key] = model.text.released or released.get(key)
    return {
        (provider, model): BookModel(
            provider,
            model,
            released[provider, model],
            _with_provider_wide(entries[provider, model], entries.get((provider, ANY_MODEL), [])),
            tuple(
                a
                for a in adjustments
                if a.provider == provider and a.applies_to(model, released[provider, model])
            ),
        )
        for provider, model in sorted(entries)
        if model != ANY_MODEL
    }


def _with_provider_wide(own: list[Entry], wide: list[Entry]) -> tuple[Entry, ...]:
    """Return a model's entries, and those for any model of the provider where it has none of its own."""
    priced = {meter for entry in own for meter in entry.meters}
    return (*own, *(entry for entry in wide if not entry.meters & priced))


def _dated(content: str, fact: Entry | Alias | Adjustment) -> str:
    return content_hash([content, fact.valid.end_us, fact.known.end_us, fact.facts.status])


def _alias_content(provider: str, alias: Alias) -> str:
    return content_hash([provider, alias.name, alias.model, alias.valid.start_us, alias.known.start_us])


def _adjustment_content(row: Adjustment) -> str:
    conditions = [row.provider, row.tier, row.region, row.of_meter, row.order, row.exclusive_group]
    scope = [sorted(row.meters), sorted(row.models), [str(day) for day in row.released]]
    return content_hash(
        [row.adjustment_id, row.factor, conditions, scope, row.valid.start_us, row.known.start_us]
    )
