"""The compose file: who may write, who is reachable, and that every command and path of it exists."""

import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
# What the compose specification knows of a service, as far as this file uses it.
KNOWN_KEYS = {
    *("image", "build", "command", "environment", "ports", "volumes", "depends_on", "healthcheck", "user"),
    *("read_only", "init", "restart", "cap_drop", "security_opt", "tmpfs"),
}


def test_the_four_services_are_there() -> None:
    assert set(SERVICES) == {"code", "webserver", "daemon", "dashboard"}
    assert {key for key in COMPOSE if not key.startswith("x-")} == {"name", "services"}


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_a_service_may_do_little(name: str) -> None:
    service = SERVICES[name]
    assert set(service) <= KNOWN_KEYS
    uid, gid = str(service["user"]).split(":")
    assert int(uid) > 0
    assert int(gid) > 0
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert any(entry.startswith("/tmp") for entry in service["tmpfs"])
    assert "privileged" not in service
    assert service.get("network_mode") is None


def test_only_the_pages_are_reachable_and_only_from_this_machine() -> None:
    ports = {name: service.get("ports", []) for name, service in SERVICES.items()}
    assert {name for name, listed in ports.items() if listed} == {"webserver", "dashboard"}
    for listed in ports.values():
        for port in listed:
            assert re.fullmatch(r"127\.0\.0\.1:\d+:\d+", port), port


def test_the_dashboard_reads_published_snapshots_and_nothing_else() -> None:
    (mount,) = SERVICES["dashboard"]["volumes"]
    assert mount == "./ledger/published:/published:ro"
    assert SERVICES["dashboard"]["environment"] == {"INFERLEDGER_PUBLISHED": "/published"}


def test_one_service_alone_writes_the_ledger() -> None:
    mounts = {name: service["volumes"] for name, service in SERVICES.items()}
    assert [name for name, listed in mounts.items() if "./ledger:/ledger" in listed] == ["code"]
    for name in ("webserver", "daemon"):
        assert mounts[name] == ["./ledger/dagster:/ledger/dagster"]
        assert SERVICES[name]["environment"]["DAGSTER_HOME"] == "/ledger/dagster"


def test_services_wait_for_what_they_need_and_it_says_when_it_is_ready() -> None:
    for name, service in SERVICES.items():
        for needed, condition in service.get("depends_on", {}).items():
            assert needed in SERVICES, name
            assert condition == {"condition": "service_healthy"}
            assert "healthcheck" in SERVICES[needed]


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_every_command_is_installed_and_every_file_it_names_is_there(name: str) -> None:
    program, *arguments = SERVICES[name]["command"]
    assert shutil.which(program, path=str(Path(sys.executable).parent)), program
    for argument in arguments:
        if "/" in argument and not argument.startswith("-"):
            assert (ROOT / argument).is_file(), argument


def test_the_workspace_points_at_the_code_service() -> None:
    workspace = yaml.safe_load((DEPLOY / "workspace.yaml").read_text(encoding="utf-8"))
    (server,) = [entry["grpc_server"] for entry in workspace["load_from"]]
    command = SERVICES["code"]["command"]
    assert server["host"] == "code"
    assert command[command.index("--port") + 1] == str(server["port"])
    assert SERVICES["code"]["healthcheck"]["test"][-1] == str(server["port"])


def test_the_image_holds_what_it_copies_and_runs_as_nobody() -> None:
    lines = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = [line.split()[1:-1] for line in lines if line.startswith("COPY ")]
    assert copied
    for source in (path for paths in copied for path in paths):
        assert (ROOT / source).exists(), source
    users = [line.split()[1] for line in lines if line.startswith("USER ")]
    assert users == [SERVICES["code"]["user"]]
    assert any("--require-hashes" in line for line in lines)
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    kept = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    assert {source for paths in copied for source in paths} <= kept
