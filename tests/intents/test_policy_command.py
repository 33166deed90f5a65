from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.intents.models import PolicyVersion, VersionOrigin, VersionStatus
from apps.intents.packs import fund_house as defaults
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.snapshots.content import policy_content
from apps.tenants.context import open_scope
from apps.tenants.models import User
from apps.tenants.roles import Role
from tests.factories import Firm, make_firm, make_member, make_user

pytestmark = pytest.mark.django_db


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
    assert (policy["version"], policy["total_cap_chars"], len(policy["intents"])) == (1, 16384, 5)


def test_show_at_an_instant_before_the_tenant_says_that_there_was_none(acme: Firm) -> None:
    with pytest.raises(CommandError, match="no policy in force"):
        run("show", "--tenant", "acme", "--at", "2001-01-01T00:00:00+00:00")


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01T00:00:00"])
def test_show_refuses_what_is_no_instant(acme: Firm, text: str) -> None:
    with pytest.raises(CommandError, match="is not a time"):
        run("show", "--tenant", "acme", "--at", text)


def test_an_unknown_tenant_is_named(acme: Firm) -> None:
    with pytest.raises(CommandError, match="nobody"):
        run("show", "--tenant", "nobody")


@pytest.mark.slow
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
    with pytest.raises(CommandError, match="review examples"):
        run("check", "--tenant", "acme", "--terms-only")


# --- Export, import, diff -----------------------------------------------------------------------------------------

SHIPPED = Path(defaults.__file__).read_text(encoding="utf-8")
WIDER = SHIPPED.replace(
    '"kinds": ["org_profile", "compliance_profile", "methodology", "schedule"]',
    '"kinds": ["org_profile", "compliance_profile", "methodology", "fund_profile", "schedule"]',
)


@pytest.fixture
def officer(acme: Firm) -> str:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER).label


@pytest.fixture
def wider(tmp_path: Path) -> str:
    """A file in which compliance reaches fund profiles as well."""
    file = tmp_path / "wider.py"
    file.write_text(WIDER, encoding="utf-8")
    return str(file)


def hand_in(file: str, author: str, *arguments: str, tenant: str = "acme", reason: str = "Fund facts.") -> str:
    return run("import", file, "--tenant", tenant, "--author", author, "--reason", reason, *arguments)


def test_export_of_a_new_tenants_policy_is_the_shipped_file_to_the_byte(acme: Firm) -> None:
    assert run("export", "--tenant", "acme") == SHIPPED


def test_export_writes_a_file(acme: Firm, tmp_path: Path) -> None:
    file = tmp_path / "policy.py"
    run("export", "1", "--tenant", "acme", "--output", str(file))
    assert file.read_bytes() == SHIPPED.encode()


def test_export_names_a_path_that_can_not_be_written(acme: Firm, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="can't be written"):
        run("export", "--tenant", "acme", "--output", str(tmp_path / "nowhere" / "policy.py"))


def test_export_of_a_later_version_says_whose_it_is(acme: Firm, officer: str, wider: str) -> None:
    hand_in(wider, officer)
    exported = run("export", "2", "--tenant", "acme")
    assert exported.startswith("# Policy version 2, draft. Author: olivia. Approved by: nobody yet.")
    assert exported.endswith(WIDER)


def test_import_makes_a_draft_by_its_author(acme: Firm, officer: str, wider: str) -> None:
    output = hand_in(wider, officer)
    assert "Version 2 is a draft by olivia." in output
    assert "Compliance can now reach Fund profiles." in output
    with open_scope(tenant=acme.id, reason="a test"):
        draft = PolicyVersion.objects.get(number=2)
        assert (draft.status, draft.origin, draft.reason) == (VersionStatus.DRAFT, VersionOrigin.IMPORT, "Fund facts.")
        assert draft.author_id == User.objects.get_by_natural_key("olivia").id
        assert draft.based_on is not None
        assert draft.based_on.number == 1
        assert policy_in_force().number == 1


def test_import_counts_on_from_the_highest_number(acme: Firm, officer: str, wider: str) -> None:
    hand_in(wider, officer)
    assert json.loads(hand_in(wider, officer, "--json"))["version"] == 3


def test_import_of_another_tenants_export_gives_the_same_policy(
    acme: Firm, officer: str, wider: str, tmp_path: Path
) -> None:
    other = make_firm("other")
    make_member(other, "oscar", Role.COMPLIANCE_OFFICER)
    hand_in(wider, officer)
    file = tmp_path / "of-acme.py"
    run("export", "2", "--tenant", "acme", "--output", str(file))
    hand_in(str(file), "oscar", tenant="other")
    contents = []
    for firm in (acme, other):
        with open_scope(tenant=firm.id, reason="a test"):
            contents.append(policy_content(version_snapshot(PolicyVersion.objects.get(number=2))))
    assert contents[0] == contents[1]


@pytest.mark.parametrize(
    ("author", "problem"),
    [
        ("nobody", "there is no such account"),
        ("bob", "holds no role in acme"),
        ("rashid", "don't allow it"),
        ("gone", "the account is deactivated"),
    ],
)
def test_import_needs_an_author_who_may_edit_policies(acme: Firm, wider: str, author: str, problem: str) -> None:
    make_user("bob")
    make_member(acme, "rashid", Role.REVIEWER)
    make_member(acme, "gone", Role.COMPLIANCE_OFFICER)
    gone = User.objects.get_by_natural_key("gone")
    gone.is_active = False
    gone.save(update_fields=["is_active"])
    with pytest.raises(CommandError, match=problem):
        hand_in(wider, author)
    with open_scope(tenant=acme.id, reason="a test"):
        assert PolicyVersion.objects.count() == 1


def test_import_needs_a_reason(acme: Firm, officer: str, wider: str) -> None:
    with pytest.raises(CommandError, match="--reason is empty"):
        hand_in(wider, officer, reason=" ")


def test_import_of_a_file_with_mistakes_names_them_all_and_writes_nothing(
    acme: Firm, officer: str, tmp_path: Path
) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(SHIPPED.replace('"run", ', '"runs", ').replace("= 16384", "= 0"), encoding="utf-8")
    with pytest.raises(CommandError, match=r'no kind "runs" in BUDGETS; did you mean "run"\?[\s\S]*TOTAL_CAP is 0'):
        hand_in(str(file), officer)
    with open_scope(tenant=acme.id, reason="a test"):
        assert PolicyVersion.objects.count() == 1


def test_import_executes_nothing(acme: Firm, officer: str, tmp_path: Path) -> None:
    trace = tmp_path / "executed"
    file = tmp_path / "hostile.py"
    file.write_text(f"{SHIPPED}\nopen({str(trace)!r}, 'w')\n", encoding="utf-8")
    with pytest.raises(CommandError, match="nothing is executed here"):
        hand_in(str(file), officer)
    assert not trace.exists()


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_a_file_that_is_not_there_or_no_text_is_named(
    acme: Firm, officer: str, tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "policy.py"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(CommandError, match=r"there is no such file|is not text"):
        hand_in(str(file), officer)


@pytest.mark.parametrize("before", ["1", "active", "baseline"])
def test_diff_takes_versions_names_and_files(acme: Firm, wider: str, before: str) -> None:
    output = run("diff", before, wider, "--tenant", "acme")
    assert "widens   Compliance can now reach Fund profiles." in output


def test_diff_takes_the_policy_of_an_instant(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        instant = policy_in_force().valid_from
    assert instant is not None
    output = run("diff", instant.isoformat(), "active", "--tenant", "acme")
    assert "From version 1 (active, in force at " in output
    assert "They say the same." in output


def test_diff_takes_a_date(acme: Firm) -> None:
    assert "They say the same." in run("diff", "2999-01-31", "active", "--tenant", "acme")
    with pytest.raises(CommandError, match="had no policy in force at 2001-01-31T00:00:00"):
        run("diff", "2001-01-31", "active", "--tenant", "acme")


def test_diff_of_a_version_that_another_tenant_has_finds_nothing(acme: Firm, officer: str, wider: str) -> None:
    make_firm("other")
    hand_in(wider, officer)
    with pytest.raises(CommandError, match="'2' names no policy: versions go from 1 to 1"):
        run("diff", "2", "active", "--tenant", "other")


@pytest.mark.parametrize(
    ("reference", "problem"),
    [
        ("7", "versions go from 1 to 1"),
        ("9" * 11, "versions"),
        ("2026-02-30", "no such date"),
        ("x", "no such"),
    ],
)
def test_diff_says_what_can_be_named(acme: Firm, reference: str, problem: str) -> None:
    with pytest.raises(CommandError, match=f"names no policy: .*{problem}.*Enter a version's number"):
        run("diff", reference, "baseline", "--tenant", "acme")


def test_diff_of_files_needs_no_tenant(wider: str) -> None:
    assert "Compliance can now reach Fund profiles." in run("diff", "baseline", wider)
    with pytest.raises(CommandError, match="add --tenant"):
        run("diff", "active", wider)


def test_diff_line_by_line(wider: str) -> None:
    lines = run("diff", "baseline", wider, "--unified").splitlines()
    assert lines[:2] == ["--- the shipped baseline", f"+++ {wider}"]
    assert (
        '+        "kinds": ["org_profile", "compliance_profile", "methodology", "fund_profile", "schedule"],' in lines
    )


def test_diff_as_json(wider: str) -> None:
    body = run_json("diff", "baseline", wider)
    assert body["changes"] == [
        {"kind": "widens", "intent": "compliance", "sentence": "Compliance can now reach Fund profiles."}
    ]


def test_at_is_a_part_of_the_command(acme: Firm, officer: str) -> None:
    assert "olivia" in run("at", "--tenant", "acme", "--user", officer)
