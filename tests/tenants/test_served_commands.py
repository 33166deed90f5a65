"""Every command that works with tenants' data refuses a database that web and worker refuse."""

from __future__ import annotations

from io import StringIO
from typing import Final

import pytest
from django.core.management import CommandError, call_command, get_commands, load_command_class

from apps.errors import ApplicationError
from apps.tenants import registry
from apps.tenants.management.served import ServedCommand

# Those that must work on a closed database, and those whose processes ask by themselves.
EXEMPT: Final = {
    "backup": "copies what is there, as it is",
    "restore": "opens it",
    "migrate": "brings its tables up to date, which the gate needs",
    "model": "fetches a model, and asks no database",
    "isolation": "asks the catalogue, and rolls its canary back",
    "mcp": "asks an installation over HTTP, or asks the gate by itself",
    "up": "starts processes that ask at their start",
}


def own_commands() -> list[str]:
    return sorted(name for name, app in get_commands().items() if str(app).startswith("apps."))


class ClosedError(ApplicationError):
    code = "audit.not_served"
    status = 503
    message = "Nothing may be done with it."


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise ClosedError

    monkeypatch.setattr(registry, "_gates", [refuse])


@pytest.mark.parametrize("name", own_commands())
def test_each_command_asks_or_says_why_not(name: str) -> None:
    command = load_command_class(get_commands()[name], name)
    assert isinstance(command, ServedCommand) != (name in EXEMPT)


@pytest.mark.usefixtures("closed")
@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", "What is due?", "--tenant", "acme"),
        ("audit", "verify", "--tenant", "acme"),
        ("audit", "export", "--tenant", "acme", "--output", "x"),
        ("audit", "seal"),
        ("audit", "checkpoint"),
        ("erasure", "tenants"),
        ("corpus", "check"),
        ("policy", "show", "--tenant", "acme"),
        ("tenant", "list"),
    ],
)
def test_nothing_is_done_with_a_closed_database(arguments: tuple[str, ...]) -> None:
    """Without a database at all: it is refused before anything is asked."""
    with pytest.raises(CommandError, match="Nothing may be done") as caught:
        call_command(*arguments, stdout=StringIO())
    assert caught.value.returncode == 2


@pytest.mark.usefixtures("closed")
def test_a_server_of_mcp_does_not_answer_from_a_closed_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSBOX_KEY", "gbx_a")
    with pytest.raises(CommandError, match="Nothing may be done") as caught:
        call_command("mcp")
    assert caught.value.returncode == 2


@pytest.mark.slow
@pytest.mark.usefixtures("closed")
def test_what_asks_for_nothing_of_a_tenants_works(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("audit", "log-key")
    assert "+" in capsys.readouterr().out
