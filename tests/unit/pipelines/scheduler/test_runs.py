"""Whole runs of the nightly job: the ledger of the command line, late days, and what stops a publication."""

from collections.abc import Generator
from pathlib import Path

import dagster as dg
import pytest

from pipelines import night_steps
from pipelines.alarms import failed_load_sensor
from pipelines.settings import Settings
from pipelines.warehouse import open_warehouse
from pipelines.writer_lock import hold_writer_lock
from tests.nights import FILES, ledger_hash, night, sample_home, spend_log, write_log
from tests.receivers import Receiver, receiving
from tests.scheduled import RANGE, load, published_metadata, recorded, scheduled_home, with_inbox


@pytest.fixture
def instance() -> Generator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as made:
        yield made


@pytest.fixture
def receiver() -> Generator[Receiver]:
    with receiving() as made:
        yield made


def log(folder: Path, name: str, *starts: str, model: str = "gpt-5-mini") -> Path:
    lines = (spend_log(f"{name}-{number}", start, model=model) for number, start in enumerate(starts))
    return write_log(folder / f"{name}.jsonl", *lines)


def sense(settings: Settings, instance: dg.DagsterInstance, run_id: str) -> None:
    """What the daemon does with a failed run."""
    run = instance.get_run_by_id(run_id)
    failures = instance.all_logs(run_id, of_type=dg.DagsterEventType.RUN_FAILURE)
    assert run is not None
    event = failures[0].dagster_event
    assert event is not None
    context = dg.build_run_status_sensor_context("failed_load", event, instance, run)
    failed_load_sensor(settings)(context.for_run_failure())


def evaluations(instance: dg.DagsterInstance, run_id: str) -> dict[str, bool]:
    entries = instance.all_logs(run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION)
    found = [entry.dagster_event.asset_check_evaluation_data for entry in entries if entry.dagster_event]
    return {f"{one.asset_key.to_user_string()}.{one.check_name}": one.passed for one in found}


def files_of(settings: Settings) -> list[tuple[Path, int]]:
    paths = (path for path in settings.published.rglob("*") if path.is_file())
    return sorted((path, path.stat().st_mtime_ns) for path in paths)


def test_a_run_gives_the_ledger_of_the_command_line_and_a_second_changes_nothing(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    settings = scheduled_home(tmp_path / "scheduled", FILES)
    other = sample_home(tmp_path / "plain")
    night(other, FILES)
    assert load(settings, instance, *RANGE).success
    assert ledger_hash(settings) == ledger_hash(other)
    before = files_of(settings)
    assert load(settings, instance, *RANGE).success
    assert files_of(settings) == before
    assert published_metadata(instance)["is_new"] is False


def test_late_days_are_rebuilt_in_the_same_run_and_recorded_with_their_cause(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    first = log(tmp_path, "first", "2026-10-19T10:00:00", "2026-10-20T10:00:00", "2026-10-26T10:00:00")
    settings = scheduled_home(tmp_path / "ledger", [first])
    assert load(settings, instance, "2026-10-26").success
    late = log(tmp_path, "late", "2026-10-19T11:00:00")
    outside = log(tmp_path, "old", "2026-10-02T11:00:00")
    run = load(with_inbox(settings, [late, outside]), instance, "2026-10-26")
    assert run.success
    days = recorded(instance, "fct_requests", run.run_id)
    assert days == {
        "2026-10-18": "beside 2026-10-19, which has new records",
        "2026-10-19": "new records in late.jsonl",
        "2026-10-20": "beside 2026-10-19, which has new records",
        "2026-10-26": "asked for",
    }
    assert recorded(instance, "int_cost_lines", run.run_id) == days
    assert published_metadata(instance)["changed_days"] == "2026-10-02, 2026-10-19"


def test_a_broken_conservation_check_stops_and_names_the_rows_and_is_mended(
    tmp_path: Path, instance: dg.DagsterInstance, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = scheduled_home(tmp_path / "ledger", FILES[:3], webhook=receiver.url)
    assert load(settings, instance, *RANGE).success
    kept = (settings.published / "CURRENT").read_text(encoding="ascii")
    whole = night_steps.build_table

    def damaging(engine, model, rules, days):
        count = whole(engine, model, rules, days)
        if model.name == "int_cost_lines":
            more = "select * replace (list_cost_pico_usd + 1 as list_cost_pico_usd) from int_cost_lines"
            engine.build("int_cost_lines", more, {})
        return count

    monkeypatch.setattr(night_steps, "build_table", damaging)
    late = with_inbox(settings, FILES)
    broken = load(late, instance, *RANGE)
    assert not broken.success
    found = evaluations(instance, broken.run_id)
    assert found["int_cost_lines.check_money"] is False
    assert (settings.published / "CURRENT").read_text(encoding="ascii") == kept
    assert not [event for event in broken.all_events if event.is_step_up_for_retry]
    sense(late, instance, broken.run_id)
    (told,) = receiver.posts
    assert told["event"] == "load_failed"
    assert told["load"] == broken.run_id
    assert told["snapshot_id"] == kept.strip()
    assert "'check_money' of int_cost_lines is broken" in told["text"]
    assert "usage_date=2026-10-19" in told["text"]
    monkeypatch.undo()
    assert load(late, instance, *RANGE).success
    clean = sample_home(tmp_path / "clean")
    night(clean, FILES)
    assert ledger_hash(settings) == ledger_hash(clean)
    assert len(receiver.posts) == 1


GAP = """
provider: openai
sources: {mine: {url: "https://example.com/prices", checked: 2026-11-30}}
models:
  - id: own-model
    prices:
      - {source: mine, known_from: 2026-10-01, valid_from: 2026-10-01, valid_until: 2026-10-20,
         per_million_tokens: {input: 1, output: 2}}
"""


def test_a_price_gap_stops_and_names_the_rows_and_is_mended(
    tmp_path: Path, instance: dg.DagsterInstance, receiver: Receiver
) -> None:
    first = log(tmp_path, "first", "2026-10-19T10:00:00", model="own-model")
    settings = scheduled_home(tmp_path / "ledger", [first], webhook=receiver.url)
    own = settings.home / "prices" / "own.yml"
    own.write_text(GAP, encoding="utf-8")
    assert load(settings, instance, *RANGE).success
    kept = (settings.published / "CURRENT").read_text(encoding="ascii")
    late = with_inbox(settings, [log(tmp_path, "late", "2026-10-20T10:00:00", model="own-model")])
    broken = load(late, instance, *RANGE)
    assert not broken.success
    assert (settings.published / "CURRENT").read_text(encoding="ascii") == kept
    sense(late, instance, broken.run_id)
    (told,) = receiver.posts
    assert "'check_price_gaps' of int_metered_costs is broken" in told["text"]
    assert (
        "usage_date=2026-10-20 provider=openai model=own-model reason_code=price_gap attempt_count=1"
        in (told["text"])
    )
    own.write_text(GAP.replace("2026-10-20", "2026-10-21"), encoding="utf-8")
    assert load(late, instance, *RANGE).success
    assert (settings.published / "CURRENT").read_text(encoding="ascii") != kept


def test_a_wrong_price_file_fails_at_once_with_its_own_words(
    tmp_path: Path, instance: dg.DagsterInstance, receiver: Receiver
) -> None:
    settings = scheduled_home(
        tmp_path / "ledger", [log(tmp_path, "a", "2026-10-19T10:00:00")], webhook=receiver.url
    )
    (settings.home / "prices" / "own.yml").write_text("provider: [", encoding="utf-8")
    broken = load(settings, instance)
    assert not broken.success
    assert not [event for event in broken.all_events if event.is_step_up_for_retry]
    sense(settings, instance, broken.run_id)
    assert "step 'price_book': " in receiver.posts[0]["text"]
    assert "own.yml" in receiver.posts[0]["text"]


def test_a_refused_file_is_shown_and_does_not_stop_the_others(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    strange = tmp_path / "strange.bin"
    strange.write_bytes(b"nobody knows this")
    settings = scheduled_home(tmp_path / "ledger", [strange, log(tmp_path, "a", "2026-10-19T10:00:00")])
    run = load(settings, instance)
    assert run.success
    assert evaluations(instance, run.run_id)["landed_files.no_file_is_refused"] is False
    assert (settings.published / "CURRENT").exists()


def test_a_run_does_not_write_beside_another_writer(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    settings = scheduled_home(tmp_path / "ledger", [log(tmp_path, "a", "2026-10-19T10:00:00")])
    with hold_writer_lock(settings.lock_file):
        assert not load(settings, instance).success
    assert not settings.landed.exists()
    assert load(settings, instance).success


def test_an_empty_ledger_has_nothing_to_do(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    settings = scheduled_home(tmp_path / "ledger")
    run = load(settings, instance)
    assert run.success
    assert published_metadata(instance)["cause"] == "nothing changed, the snapshot stays"
    assert recorded(instance, "int_cost_lines", run.run_id) == {"2026-10-19": "nothing changed"}


def test_a_passing_fault_is_tried_again(
    tmp_path: Path, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = scheduled_home(tmp_path / "ledger", [log(tmp_path, "a", "2026-10-19T10:00:00")])
    tries: list[str] = []
    whole = night_steps.build_table

    def failing_once(engine, model, rules, days):
        if model.name == "int_requests":
            tries.append(model.name)
            if len(tries) == 1:
                raise OSError("no space left on device")
        return whole(engine, model, rules, days)

    monkeypatch.setattr(night_steps, "build_table", failing_once)
    run = load(settings, instance)
    assert run.success
    assert len(tries) == 2
    with open_warehouse(settings) as engine:
        assert engine.fetch("select count(*) as n from int_requests").to_pylist() == [{"n": 1}]
