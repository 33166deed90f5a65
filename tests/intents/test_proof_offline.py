"""A proof in the hands of somebody who has the log's export, the proof's file and the verifier, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connections
from hypothesis import given, settings

from apps.audit.verify import offline
from apps.audit.verify.export import export_log
from apps.corpus.kinds import Right
from apps.intents.invariants import Invariant
from apps.intents.profile.contracts import InAnswer, InQuestion, ProfileRule, RuleSort
from apps.intents.proof.contracts import SINCE_V2, Theorem
from apps.intents.proof.invariants import ASKING, broken_invariants
from apps.intents.proof.rendering import Side, prove
from apps.intents.reviewers import TwoFor
from apps.intents.services.proofs import kept_proof, proof_hand_out
from apps.intents.snapshots.content import policy_content
from apps.tenants.roles import Role
from tests.audit.acting import checkpointed, sealed
from tests.audit.mutations import log_keys
from tests.corpus.ingesting import short_profile
from tests.factories import as_, make_firm, make_member
from tests.intents.reviewing import submitted
from tests.intents.test_invariants import KYC, invariants
from tests.intents.test_proof import BASE, HELD, one_wider, sides
from tests.model_server import ModelServer

EXCLUDED = (
    ProfileRule(
        key="tax",
        sort=RuleSort.TOPIC,
        name="Tax advice",
        terms=("tax advice",),
        text="Ask the tax desk.",
        in_question=InQuestion.REFUSE,
        in_answer=InAnswer.FLAG,
    ),
    ProfileRule(key="past", sort=RuleSort.DISCLAIMER, name="Past performance", text="The past promises nothing."),
)


@settings(max_examples=100, deadline=None)
@given(sides, sides)
def test_the_verifier_finds_what_the_application_proved(before: Side, after: Side) -> None:
    """It enumerates what the application counts as products, and was written apart from it."""
    assert list(offline.wrong_in_proof(json.loads(prove(before, after).text()), [])) == []


def proof(profile: tuple[ProfileRule, ...] = ()) -> dict[str, Any]:
    after = replace(one_wider(BASE), profile=profile)
    body: dict[str, Any] = json.loads(prove(Side(policy=BASE, held=HELD), Side(policy=after, held=HELD)).text())
    return body


@pytest.mark.parametrize("theorem", list(Theorem))
def test_a_theorem_that_says_otherwise_is_found_each_by_itself(theorem: Theorem) -> None:
    body = proof(EXCLUDED)
    row = next(each for each in body["theorems"] if each["theorem"] == theorem.value)
    row["holds"], row["count"] = not row["holds"], row["count"] ^ 1
    assert any(words.startswith(f"{theorem.value} is ") for words in offline.wrong_in_proof(body, []))


def test_a_proof_of_the_first_form_is_still_verified_and_is_no_way_to_say_less() -> None:
    body = proof(EXCLUDED)
    whole = body["theorems"]
    body["format"] = offline.FIRST_PROOF_FORMAT
    body["theorems"] = [row for row in whole if row["theorem"] not in SINCE_V2]
    assert list(offline.wrong_in_proof(body, [])) == []
    body["format"] = offline.PROOF_FORMAT
    assert list(offline.wrong_in_proof(body, [])) == ["its list of theorems is not the closed list of this format"]


def test_a_counterexample_that_is_left_out_is_found() -> None:
    body = proof()
    body["theorems"][0]["changes"] = []
    assert list(offline.wrong_in_proof(body, [])) == [
        "the counterexamples of nothing_permitted are not those that there are"
    ]


def test_a_theorem_that_is_left_out_is_found() -> None:
    body = proof()
    del body["theorems"][3]
    assert list(offline.wrong_in_proof(body, [])) == ["its list of theorems is not the closed list of this format"]


def test_a_content_that_was_changed_does_not_have_its_digest() -> None:
    body = proof()
    body["before"]["content"]["fallback"]["description"] = "Other words."
    assert "the digest of the content before is not that of the content" in list(offline.wrong_in_proof(body, []))


def test_a_submission_of_other_contents_is_found() -> None:
    core = {"before_sha256": "0" * 64, "content_sha256": proof()["after"]["content_sha256"]}
    assert list(offline.wrong_in_proof(proof(), [core])) == [
        "the submission that the log names it for is of other contents"
    ]


def parts_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each part of a value but those of its contents, which have their digests."""
    if path[1:] == ("content",):
        return
    if path:
        yield path
    for name, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from parts_of(part, (*path, name))


def altered(body: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any] | None:
    """Return a proof with another value in one place; None if it is the same value."""
    made: Any = json.loads(json.dumps(body))
    *above, last = path
    part = made
    for name in above:
        part = part[name]
    if value == "twice" and isinstance(part, list):
        part.append(part[last])
    elif value == "gone":
        del part[last]
    elif json.dumps(part[last]) == json.dumps(value):
        return None
    else:
        part[last] = value
    return made  # type: ignore[no-any-return]


OTHERS = (None, True, False, 0, 1, 0.0, 1.0, -1, 10**30, 1e300, "", "x", [], {}, [[]], ["x"], "twice", "gone")
# The proof's own words: who may ask where decides its theorems, and its ids and times are vouched for by its digest.
OWN_WORDS = {"sentence", "at", "version_id"}


def test_any_other_value_in_any_place_is_found() -> None:
    body = proof()
    core = {f"{key}_sha256": body[side]["content_sha256"] for key, side in (("before", "before"), ("content", "after"))}
    core["number"] = body["after"]["version"]
    missed = []
    for path in parts_of(body):
        if OWN_WORDS & set(path) or path == ("before", "version"):
            continue
        for value in OTHERS:
            made = altered(body, path, value)
            try:
                if made is not None and not list(offline.wrong_in_proof(made, [core])):
                    missed.append((path, value))
            except (AttributeError, KeyError, TypeError, ValueError):
                continue
    assert missed == []


@settings(max_examples=200, deadline=None)
@given(invariants, invariants)
def test_the_verifier_finds_broken_invariants_where_the_application_does(own: Invariant, earlier: Invariant) -> None:
    first, *rest = BASE.intents
    renamed = replace(BASE, intents=(replace(first, name="figures"), *rest))
    for before, after in ((BASE, BASE), (BASE, renamed), (renamed, BASE)):
        before, after = replace(before, invariants=(earlier,)), replace(after, invariants=(own,))
        for whose in (before, after):
            told = list(offline.broken_invariants(policy_content(whose), policy_content(after)))
            assert told == [each.invariant.as_json() for each in broken_invariants(after, whose)]


def test_the_verifier_counts_the_same_roles_and_changes() -> None:
    assert offline.ASKING == ASKING
    assert {*offline.ADDING} == {role.value for role in Right.UPLOAD.roles}
    assert {*offline.REMOVING} == {role.value for role in Right.REMOVE.roles}
    assert {*offline.TWO_FOR} == {each.value for each in TwoFor}


# --- With the log ---------------------------------------------------------------------------------------------------


@pytest.fixture
def handed_out(transactional_db: None, settings: LazySettings, tmp_path: Path) -> Iterator[Path]:
    """A folder with an export of the log, and the proof of the submission that stands in it."""
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        firm = make_firm()
        author = make_member(firm, "olivia", Role.COMPLIANCE_OFFICER)
        version = submitted(author)
        with as_(author):
            kept = kept_proof(version)
        assert kept is not None
        (tmp_path / "proof.json").write_text(kept.text, encoding="utf-8", newline="")
        with as_(make_member(firm, "ada", Role.AUDITOR)):
            # Two versions later, an invariant may be gone that the earlier side had.
            compared = proof_hand_out(replace(BASE, invariants=(KYC,)), one_wider(BASE), form="file")
        (tmp_path / "compared.json").write_text(compared.text(), encoding="utf-8", newline="")
        sealed(firm)
        checkpointed(firm)
        export_log(tenant=firm.id, output=tmp_path / "log")
        yield tmp_path
        connections["default"].close()


def run(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    keys = [part for key in log_keys() for part in ("--key", key)]
    command = [sys.executable, "-I", offline.__file__, folder / "log", *keys, "--proof", folder / "proof.json", *more]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_proof_of_a_submission_is_vouched_for_by_the_log(handed_out: Path) -> None:
    found = run(handed_out)
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_proof_of_a_comparison_is_vouched_for_by_the_log_too(handed_out: Path) -> None:
    (handed_out / "compared.json").replace(handed_out / "proof.json")
    found = run(handed_out)
    assert found.returncode == 0, found.stdout + found.stderr


def test_a_comparison_that_was_altered_is_in_no_log(handed_out: Path) -> None:
    said = (handed_out / "compared.json").read_text(encoding="utf-8")
    (handed_out / "proof.json").write_text(said.replace('"holds":false', '"holds":true', 1), encoding="utf-8")
    found = run(handed_out, "--json")
    assert found.returncode == 1
    assert set(json.loads(found.stdout)["totals"]) == {"UNRECORDED_PROOF", "WRONG_PROOF"}


def test_a_proof_that_was_altered_is_in_no_log(handed_out: Path) -> None:
    file = handed_out / "proof.json"
    file.write_text(file.read_text(encoding="utf-8").replace('"holds":false', '"holds":true', 1), encoding="utf-8")
    found = run(handed_out, "--json")
    assert found.returncode == 1
    assert set(json.loads(found.stdout)["totals"]) == {"UNRECORDED_PROOF", "WRONG_PROOF"}


@pytest.mark.parametrize("other", ["{:,}", " {}", "{}\n"])
def test_a_proof_in_other_bytes_is_none(handed_out: Path, other: str) -> None:
    file = handed_out / "proof.json"
    body = json.loads(file.read_text(encoding="utf-8"))
    written = json.dumps(body) if other == "{:,}" else other.replace("{}", file.read_text(encoding="utf-8"))
    file.write_text(written, encoding="utf-8", newline="")
    found = run(handed_out, "--json")
    assert set(json.loads(found.stdout)["totals"]) == {"UNRECORDED_PROOF", "WRONG_PROOF"}


def test_what_is_no_proof_is_not_checked(handed_out: Path) -> None:
    (handed_out / "proof.json").write_text("[]", encoding="utf-8")
    found = run(handed_out)
    assert found.returncode == 2
    assert "the proof can't be read" in found.stderr
