"""Help: every command explains itself with an example, and wrong usage ends with code 2."""

import pytest

from tests.end_to_end.cli import run

COMMANDS = ["init", "ingest", "build", "check", "publish", "run", "report", "explain", "demo"]

pytestmark = pytest.mark.end_to_end


def test_the_top_names_every_command_and_the_exit_codes() -> None:
    said = run("--help")
    assert said.code == 0
    assert all(f"  {command} " in said.out for command in COMMANDS)
    assert "Exit codes: 0 done, 1 the work failed, 2 something a person can fix." in said.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str) -> None:
    said = run(command, "--help")
    assert said.code == 0
    assert "Examples:\n" in said.out
    assert f"inferledger {command}" in said.out
    assert "--home" in said.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Usage: "),
        (["nonsense"], "No such command 'nonsense'"),
        (["report", "--by", "colour"], "'colour' is not one of 'feature', 'team'"),
        (["report", "--from", "yesterday"], "yesterday"),
        (["report", "--measure", "billed"], "'billed' is not one of 'list', 'contracted', 'effective'"),
        (["explain"], "Missing argument"),
        (["run", "--what"], "No such option: --what"),
    ],
)
def test_wrong_usage_ends_with_2(arguments: list[str], words: str) -> None:
    said = run(*arguments)
    assert said.code == 2
    assert words in said.out + said.err
    assert "Traceback" not in said.err
