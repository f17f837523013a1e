"""Runs whose process is dead: told from slow ones by the writer's lock, and only after a grace."""

import multiprocessing
from collections.abc import Generator
from pathlib import Path

import dagster as dg
import pytest

from pipelines.jobs import release_dead_runs
from pipelines.writer_lock import hold_writer_lock


@pytest.fixture
def instance() -> Generator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as made:
        yield made


def started(instance: dg.DagsterInstance, status: dg.DagsterRunStatus) -> str:
    @dg.job(name="some_load")
    def some_load() -> None:
        return None

    return instance.create_run_for_job(some_load, status=status).run_id


def status_of(instance: dg.DagsterInstance, run_id: str) -> dg.DagsterRunStatus:
    run = instance.get_run_by_id(run_id)
    assert run is not None
    return run.status


def test_a_run_without_a_holder_of_the_lock_is_dead(instance: dg.DagsterInstance, tmp_path: Path) -> None:
    lock = tmp_path / "writer.lock"
    without_file = started(instance, dg.DagsterRunStatus.STARTED)
    assert release_dead_runs(instance, lock, grace_seconds=-1) == [without_file]
    with hold_writer_lock(lock):
        pass
    free = started(instance, dg.DagsterRunStatus.STARTING)
    assert release_dead_runs(instance, lock, grace_seconds=-1) == [free]
    assert status_of(instance, free) == dg.DagsterRunStatus.FAILURE


def _hold(
    lock: Path, taken: "multiprocessing.synchronize.Event", end: "multiprocessing.synchronize.Event"
) -> None:
    with hold_writer_lock(lock):
        taken.set()
        end.wait(30)


def test_a_run_is_alive_while_some_process_holds_the_lock(
    instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    lock = tmp_path / "writer.lock"
    slow = started(instance, dg.DagsterRunStatus.STARTED)
    context = multiprocessing.get_context("spawn")
    taken, end = context.Event(), context.Event()
    writer = context.Process(target=_hold, args=(lock, taken, end))
    writer.start()
    assert taken.wait(30)
    assert release_dead_runs(instance, lock, grace_seconds=-1) == []
    assert status_of(instance, slow) == dg.DagsterRunStatus.STARTED
    end.set()
    writer.join()
    assert release_dead_runs(instance, lock, grace_seconds=-1) == [slow]


def test_a_run_that_has_just_started_may_not_hold_the_lock_yet(
    instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    fresh = started(instance, dg.DagsterRunStatus.STARTED)
    assert release_dead_runs(instance, tmp_path / "writer.lock", grace_seconds=3600) == []
    assert status_of(instance, fresh) == dg.DagsterRunStatus.STARTED


@pytest.mark.parametrize("status", [dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.SUCCESS])
def test_waiting_and_finished_runs_are_left_alone(
    instance: dg.DagsterInstance, tmp_path: Path, status: dg.DagsterRunStatus
) -> None:
    run_id = started(instance, status)
    assert release_dead_runs(instance, tmp_path / "writer.lock", grace_seconds=-1) == []
    assert status_of(instance, run_id) == status
