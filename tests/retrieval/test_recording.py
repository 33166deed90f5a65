"""What becomes of a question's text: nowhere in the database, or nowhere but sealed, as the intent's policy says."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from django.conf import LazySettings, settings
from django.utils import timezone
from psycopg import sql

from apps.audit.models import Event, Outcome
from apps.audit.selectors import payloads_of
from apps.intents.contracts import PolicySnapshot, RecordingMode
from apps.intents.models import VersionStatus
from apps.intents.services.versions import policy_version_activate
from apps.retrieval.dependencies import PipelineDependencies
from apps.retrieval.errors import QuestionError
from apps.retrieval.events import ANSWERED, FAILED, REJECTED, REPLAYED
from apps.retrieval.services import ask as asking
from apps.retrieval.services.ask import Asked
from apps.retrieval.services.wiring import dependencies_for
from apps.retrieval.stage_settings import StageSettings
from apps.tenants.context import open_scope
from apps.tenants.models import Tenant
from apps.tenants.roles import Role
from tests.conftest import admin_dsn
from tests.factories import Firm, make_member, make_user
from tests.intents.steps import acting, draft, step
from tests.model_server import ModelServer
from tests.retrieval.asking import events, make_acme
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)

NAME = "Wolfram Quintessenz"
QUESTION = f"What was the maximum drawdown of the Alpha Fund in the fourth quarter, as {NAME} asks?"


@pytest.fixture
def acme(transactional_db: None, server: ModelServer) -> Firm:
    return make_acme()


def keep(firm: Firm, mode: RecordingMode) -> None:
    """A second version of the policy, in force, with this mode for every intent."""
    alice, bob = make_user("author"), make_user("approver")
    with open_scope(tenant=firm.id, reason="a test"):
        version = draft(author=alice)
        with acting(alice):
            version.intents.update(recording_mode=mode.value)
            step(version, status=VersionStatus.IN_REVIEW)
        with acting(bob, Role.REVIEWER):
            step(
                version,
                status=VersionStatus.APPROVED,
                approver=bob,
                approver_label="bob",
                effective_from=timezone.now(),
            )
        policy_version_activate(version)


def asked(firm: Firm, text: str = QUESTION) -> Asked:
    with open_scope(tenant=firm.id, reason="a test"):
        return asking.ask(text=text)


def places(needle: str) -> list[str]:
    """The tables that hold the words, in any case, in any column: as text, in JSON, or as bytes."""
    found = []
    forms = [needle.lower(), *(form.encode().hex() for form in (needle, needle.lower()))]
    with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}") as superuser:
        tables = superuser.execute(
            "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE c.relkind = 'r' AND n.nspname IN ('public', 'authz')"
        ).fetchall()
        assert len(tables) > 20
        for schema, table in tables:
            query = sql.SQL(
                "SELECT EXISTS (SELECT FROM {} AS t CROSS JOIN unnest(%s::text[]) AS f (form) "
                "WHERE position(f.form IN lower(t::text)) > 0)"
            ).format(sql.Identifier(schema, table))
            row = superuser.execute(query, [forms]).fetchone()
            if row and row[0]:
                found.append(table)
    return found


def test_the_search_finds_words_in_text_and_in_bytes(acme: Firm) -> None:
    """So that finding nothing means something, below."""
    assert {"corpus_chunk", "corpus_sourcefile"} <= set(places("It recovered within five weeks"))


@pytest.mark.parametrize("mode", list(RecordingMode))
def test_the_words_of_a_question_are_in_no_table(acme: Firm, mode: RecordingMode) -> None:
    keep(acme, mode)
    event = asked(acme).event
    assert places(NAME) == []
    with open_scope(tenant=acme.id, reason="a test"):
        told = payloads_of([Event.objects.get(id=event.id)])[event.id]
    assert told["core"]["recording_mode"] == mode.value
    assert told["question"].get("text") == (QUESTION if mode is RecordingMode.ENCRYPTED_TEXT else None)
    assert told["question"]["length_chars"] == len(QUESTION)


def test_a_question_that_is_not_answered_leaves_no_text_whatever_the_mode(
    acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(acme, RecordingMode.ENCRYPTED_TEXT)
    with pytest.raises(QuestionError):
        asked(acme, NAME + "x" * settings.GLASSBOX_MAX_QUESTION_CHARS)
    monkeypatch.setattr(asking, "answer", _breaks)
    with pytest.raises(ZeroDivisionError):
        asked(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        events = {each.action: each for each in Event.objects.filter(action__in=(REJECTED, FAILED, ANSWERED))}
        told = payloads_of(events.values())
        assert set(events) == {REJECTED, FAILED}
        assert not any("text" in group for payload in told.values() for group in payload.values())
    assert NAME not in str(told)
    assert places(NAME) == []


def _breaks(*args: object, **named: object) -> None:
    raise ZeroDivisionError


def test_what_was_searched_for_besides_the_question_is_told_without_its_words(
    acme: Firm, server: ModelServer, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.GLASSBOX_GENERATION_PROFILES = {
        "writing": {"backend": "openai", "region": "eu", "model": "chat", "base_url": server.base_url},
        "extractive": {"backend": "extractive", "region": "eu"},
    }

    settings.GLASSBOX_RETRIEVAL_STAGES = "rewriter=multi_query, healer=coverage"

    def with_a_rewriter(
        tenant: Tenant, policy: PolicySnapshot, settings: StageSettings, **more: Any
    ) -> PipelineDependencies:
        tenant.generation_profile, tenant.residency_region = "writing", "eu"
        asked_again = replace(policy.retrieval, heal_rounds=1, heal_minimum_coverage=1.0)
        return dependencies_for(tenant, replace(policy, retrieval=asked_again), settings, **more)

    monkeypatch.setattr("apps.retrieval.services.asking.dependencies_for", with_a_rewriter)
    server.reply_with(json.dumps({"texts": [f"largest loss that {NAME} asks for"]}))
    server.reply_with(json.dumps({"texts": [f"{NAME} in other words"]}))
    event = asked(acme).event
    assert places(NAME) == []
    with open_scope(tenant=acme.id, reason="a test"):
        told = payloads_of([Event.objects.get(id=event.id)])[event.id]["core"]["rewording"]
    assert (told["rewriter"], told["model"], told["region"], told["texts"]) == ("multi_query", "chat", "eu", 1)
    assert (told["healer"], told["rounds"], told["rounds_by_model"]) == ("coverage", 1, 1)


def test_what_was_typed_to_run_a_question_again_is_in_no_table(acme: Firm) -> None:
    make_member(acme, "ada", Role.AUDITOR)
    event = asked(acme).event
    visitor = Visitor("ada")
    assert visitor.send("question_replay", event.id, question=QUESTION).status == 200
    assert visitor.send("question_replay", event.id, question=f"Not {NAME}").status == 422
    assert {each.outcome for each in events(acme, REPLAYED)} == {Outcome.SUCCESS, Outcome.REFUSED}
    assert places(NAME.split()[1]) == []
