from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.factories import Firm, make_firm

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme() -> Firm:
    return make_firm("acme")


def run(*arguments: str) -> str:
    output = StringIO()
    call_command("policy", *arguments, stdout=output)
    return output.getvalue()


def run_json(*arguments: str) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(run(*arguments, "--json"))
    return parsed


def test_show_names_version_intents_and_budgets(acme: Firm) -> None:
    output = run("show", "--tenant", "acme")
    assert all(part in output for part in ("Policy version 1", "attribution", "reference_report", "Firm profile"))


def test_show_as_json_holds_the_whole_policy(acme: Firm) -> None:
    policy = run_json("show", "--tenant", "acme")
    assert (policy["version"], policy["total_cap_chars"], len(policy["intents"])) == (1, 4096, 5)


def test_show_at_an_instant_before_the_tenant_says_that_there_was_none(acme: Firm) -> None:
    with pytest.raises(CommandError, match="no policy in force"):
        run("show", "--tenant", "acme", "--at", "2001-01-01T00:00:00+00:00")


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01T00:00:00"])
def test_show_refuses_what_is_no_instant(acme: Firm, text: str) -> None:
    with pytest.raises(CommandError, match="is not an instant"):
        run("show", "--tenant", "acme", "--at", text)


def test_an_unknown_tenant_is_named(acme: Firm) -> None:
    with pytest.raises(CommandError, match="nobody"):
        run("show", "--tenant", "nobody")


def test_check_passes_for_the_baseline_with_the_real_model(acme: Firm) -> None:
    outcome = run_json("check", "--tenant", "acme")
    assert (outcome["passed"], outcome["terms_only"]) == (True, False)


def test_check_draws_the_confusion_matrix(acme: Firm) -> None:
    output = run("check", "--tenant", "acme", "--terms-only")
    assert "Expected (down) and given (across)" in output
    assert "reaches the bar of 85%" in output


def test_the_confusion_matrix_counts_every_example_once(acme: Firm) -> None:
    outcome = run_json("check", "--tenant", "acme", "--terms-only")
    assert sum(cell["examples"] for cell in outcome["confusion"]) == outcome["examples"]


def test_check_fails_below_the_policys_own_bar(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.intents.check.GoldenCheck.passed", property(lambda check: False))
    with pytest.raises(CommandError, match="golden examples"):
        run("check", "--tenant", "acme", "--terms-only")
