"""`manage.py policy check`: a version, a draft or a file is tested in a shell or in CI, with an exit status."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.intents.models import GoldenVector
from apps.intents.packs import fund_house as defaults
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from tests.factories import Firm
from tests.intents.desk_firm import acme, begin, olivia, server
from tests.model_server import Fault, ModelServer

__all__ = ["acme", "olivia", "server"]

SHIPPED = Path(defaults.__file__).read_text(encoding="utf-8")


def check(*arguments: str) -> tuple[str, str]:
    """What is printed, and why it fails; nothing where it passes."""
    output = StringIO()
    try:
        call_command("policy", "check", *arguments, stdout=output)
    except CommandError as error:
        return " ".join(output.getvalue().split()), str(error)
    return " ".join(output.getvalue().split()), ""


def check_json(*arguments: str) -> tuple[dict[str, Any], str]:
    output = StringIO()
    failure = ""
    try:
        call_command("policy", "check", *arguments, "--json", stdout=output)
    except CommandError as error:
        failure = str(error)
    return json.loads(output.getvalue()), failure


def file_of(tmp_path: Path, text: str) -> str:
    file = tmp_path / "policy.py"
    file.write_text(text, encoding="utf-8")
    return str(file)


# --- A file, without a tenant -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--file", "--version"])
def test_a_file_is_checked_without_a_tenant_and_without_a_database(tmp_path: Path, option: str) -> None:
    printed, failure = check(option, file_of(tmp_path, SHIPPED), "--terms-only")
    assert failure == ""
    assert "review examples get their intent without themselves (terms alone)" in printed


@pytest.mark.slow
def test_a_file_is_checked_with_the_bundled_model(tmp_path: Path) -> None:
    body, failure = check_json("--file", file_of(tmp_path, SHIPPED))
    assert (failure, body["passed"], body["terms_only"]) == ("", True, False)
    assert (body["version"], body["version_id"], body["accuracy"] >= 0.9) == (None, None, True)


def test_a_file_s_problems_are_named_by_the_line_and_its_accuracy_still_told(tmp_path: Path) -> None:
    text = SHIPPED.replace('"kinds": ["org_profile"]', '"kinds": ["org_profile", "run", "schedule", "methodology"]')
    printed, failure = check("--file", file_of(tmp_path, text), "--terms-only")
    assert "problem: line" in printed
    assert "the fallback must be the most restrictive set" in printed
    assert "review examples get their intent" in printed
    assert "1 problem, named above" in failure


def test_a_file_that_can_not_be_read_has_all_its_mistakes_named(tmp_path: Path) -> None:
    text = SHIPPED.replace('"run", ', '"runs", ').replace("= 16384", '= "much"')
    body, failure = check_json("--file", file_of(tmp_path, text))
    assert (body["passed"], "accuracy" in body) == (False, False)
    assert any('no kind "runs"' in problem for problem in body["problems"])
    assert any("TOTAL_CAP" in problem for problem in body["problems"])
    assert f"{len(body['problems'])} problems" in failure


def test_a_file_below_its_own_bar_fails(tmp_path: Path) -> None:
    text = SHIPPED.replace('"minimum_golden_accuracy": 0.85', '"minimum_golden_accuracy": 1.0')
    assert text != SHIPPED
    _, failure = check("--file", file_of(tmp_path, text), "--terms-only")
    assert "does not reach the bar of 100%" in failure


def test_an_intent_that_none_of_its_examples_reaches_fails_though_the_bar_is_reached(tmp_path: Path) -> None:
    text = SHIPPED.replace('"minimum_golden_accuracy": 0.85', '"minimum_golden_accuracy": 0.0').replace(
        '"minimum_term_points": ', '"minimum_term_points": 99'
    )
    body, failure = check_json("--file", file_of(tmp_path, text), "--terms-only")
    assert (body["passed"], len(body["unreachable"])) == (False, 5)
    assert "None of the examples of intent 'performance' is recognised as its own." in failure


def test_nothing_in_a_file_is_executed(tmp_path: Path) -> None:
    trace = tmp_path / "executed"
    printed, failure = check("--file", file_of(tmp_path, f"{SHIPPED}\nopen({str(trace)!r}, 'w')\n"))
    assert "nothing is executed here" in printed
    assert failure
    assert not trace.exists()


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert "there is no such file" in check("--file", str(tmp_path / "nowhere.py"))[1]


def test_the_baseline_needs_no_tenant() -> None:
    assert check("--version", "baseline", "--terms-only")[1] == ""


@pytest.mark.parametrize("version", ["active", "2", "2026-01-31"])
def test_a_version_needs_a_tenant(version: str) -> None:
    assert "add --tenant, or name a --file" in check("--version", version)[1]


def test_a_file_and_a_version_at_once_are_refused(tmp_path: Path) -> None:
    assert "not allowed with" in check("--file", file_of(tmp_path, SHIPPED), "--version", "1")[1]


def test_the_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        call_command("policy", "--help")
    assert "manage.py policy check --file policy.py" in capsys.readouterr().out


# --- A tenant's versions ----------------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("reference", ["1", "active", "2999-01-31"])
def test_a_version_is_named_by_number_name_or_date(acme: Firm, reference: str) -> None:
    body, failure = check_json("--tenant", "acme", "--version", reference, "--terms-only")
    assert (failure, body["version"], body["problems"]) == ("", 1, [])


@pytest.mark.django_db
def test_a_draft_is_checked_with_its_problems_and_nothing_is_written_beside_it(acme: Firm, olivia: Principal) -> None:
    draft = begin(olivia, total_cap_chars=0, examples=())
    body, failure = check_json("--tenant", "acme", "--version", str(draft.number))
    assert body["policy"] == "version 2 (draft)"
    assert any("total cap" in problem for problem in body["problems"])
    assert any("at least 5 are needed" in problem for problem in body["problems"])
    assert "can't be used" in failure
    assert "accuracy" not in body


@pytest.mark.django_db
def test_a_draft_s_vectors_are_made_and_not_kept(acme: Firm, olivia: Principal) -> None:
    draft = begin(olivia)
    body, _ = check_json("--tenant", "acme", "--version", str(draft.number))
    assert (body["version"], body["terms_only"]) == (2, False)
    with open_scope(tenant=acme.id, reason="a test"):
        assert not GoldenVector.objects.filter(example__intent__version=draft).exists()


@pytest.mark.django_db
def test_with_the_provider_down_it_says_how_to_go_on(acme: Firm, server: ModelServer) -> None:
    server.fail_with(Fault.ERROR_500)
    assert "add --terms-only" in check("--tenant", "acme")[1]


@pytest.mark.django_db
def test_a_version_that_is_not_there_is_named(acme: Firm) -> None:
    assert "versions go from 1 to 1" in check("--tenant", "acme", "--version", "7")[1]


@pytest.mark.django_db
def test_an_unknown_tenant_is_named(acme: Firm) -> None:
    assert "nobody" in check("--tenant", "nobody")[1]
