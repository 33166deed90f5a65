"""A certificate whose proof the log can't give: each cause by its own sentence, on the page, in API and shell."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.db import connection

from apps.audit.keys.data_keys import cache as key_cache
from apps.audit.models import DataKey, Payload
from apps.erasure.certificate import document
from apps.erasure.certificate.checking import Check, checked, fails, holds
from apps.erasure.certificate.document import document_of
from apps.erasure.certificate.errors import NoProofError
from apps.erasure.certificate.selectors import checks_of
from apps.erasure.contracts import RunState
from apps.erasure.models import Certificate
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.audit.acting import sealed, verified_log
from tests.audit.ending import ended, only_the_log, whole
from tests.audit.mutations import acting_as, as_api, mutated
from tests.audit.proving import ending, issued, looked_at
from tests.audit.removing import approved
from tests.baked import baked
from tests.factories import Firm, make_firm, make_key, make_member
from tests.visitor import Visitor

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

_OF_END = "event_id = %(event)s"
_KEY = f"(SELECT data_key_id FROM audit_payload WHERE {_OF_END} AND field_group = 'core')"
# What is done to the log, and what the check says of it.
CAUSES: Mapping[str, tuple[str, str]] = {
    "event": ("DELETE FROM audit_event WHERE id = %(event)s", "does not hold the event that ended this run"),
    "cut": ("DELETE FROM audit_leaf WHERE index >= %(size)s - 1", "it was cut off"),
    "leaf": (f"DELETE FROM audit_leaf WHERE {_OF_END}", "is not among the first"),
    "tree": ("DELETE FROM audit_leaf WHERE index = 0", "stored hashes of the log are missing"),
    "checkpoint": ("DELETE FROM audit_checkpoint WHERE size = %(size)s", "does not hold its signed checkpoint"),
    "content": (f"DELETE FROM audit_payload WHERE {_OF_END}", "no event of the log says why"),
    "key": (f"DELETE FROM audit_datakey WHERE id = {_KEY}", "is gone, but the sealed content still exists"),
    "wrapping": (
        f"UPDATE audit_datakey SET wrapped_key = set_byte(wrapped_key, 40, get_byte(wrapped_key, 40) # 1) "
        f"WHERE id = {_KEY}",
        "can't be unwrapped",
    ),
    "kek": (f"UPDATE audit_datakey SET kek_id = 'elsewhere' WHERE id = {_KEY}", "GLASSBOX_AUDIT_KEKS does not hold"),
    "ciphertext": (
        f"UPDATE audit_payload SET ciphertext = set_byte(ciphertext, 40, get_byte(ciphertext, 40) # 1) "
        f"WHERE {_OF_END} AND field_group = 'core'",
        "it does not decrypt",
    ),
}


@pytest.fixture
def acme(settings: LazySettings, tmp_path: Path) -> Firm:
    settings.GLASSBOX_CHECKPOINT_URL = str(tmp_path / "checkpoints")
    return baked(make_firm, "acme")


@pytest.fixture
def certificate(acme: Firm) -> Certificate:
    """Its end is the last leaf neither of the log nor of the checkpoint."""
    assert looked_at(acme, ending(acme))
    sealed(acme, 3)
    (found,) = issued(acme)
    sealed(acme, 3)
    return found


def told(firm: Firm, certificate: Certificate) -> tuple[Check, ...]:
    key_cache.clear()
    with open_scope(tenant=firm.id, reason="a test"):
        return checks_of(certificate)


def after(firm: Firm, certificate: Certificate, statement: str) -> tuple[Check, ...]:
    """What is said while the log is like that."""
    with acting_as("superuser"), mutated():
        with connection.cursor() as cursor:
            cursor.execute(statement, {"event": certificate.event_id, "size": certificate.size})
            assert cursor.rowcount > 0
        as_api()
        return told(firm, certificate)


def test_each_cause_has_its_own_sentence_and_all_of_them_fail_but_a_key_that_was_not_brought_along(
    acme: Firm, certificate: Certificate
) -> None:
    assert holds(told(acme, certificate))
    said = {}
    for cause, (statement, words) in CAUSES.items():
        (check,) = checks = after(acme, certificate, statement)
        assert words in check.problem, cause
        assert (holds(checks), fails(checks)) == (False, cause != "kek"), cause
        said[cause] = check.problem
    assert len({*said.values()}) == len(CAUSES)
    assert holds(told(acme, certificate))


@pytest.fixture
def emptied(acme: Firm, certificate: Certificate) -> Certificate:
    """The tenant's own erasure came after it, and took along what the log said."""
    run = approved(acme, [whole(acme)])
    with only_the_log():
        assert ended(acme, run) is RunState.COMPLETED
    return certificate


def test_an_earlier_runs_certificate_is_said_to_have_gone_with_its_tenant_and_the_log_verifies(
    acme: Firm, emptied: Certificate
) -> None:
    (check,) = checks = told(acme, emptied)
    assert "the tenant itself is being erased" in check.problem
    assert not holds(checks)
    assert not fails(checks)
    assert verified_log(acme).findings == ()


def test_a_file_of_before_still_holds_then(
    acme: Firm, certificate: Certificate, settings: LazySettings, tmp_path: Path
) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        before = json.loads(json.dumps(document_of(certificate)))
    run = approved(acme, [whole(acme)])
    with only_the_log():
        assert ended(acme, run) is RunState.COMPLETED
    assert holds(checked(before, settings.GLASSBOX_LOG_VERIFY_KEYS))
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(before))
    said = StringIO()
    call_command("erasure", "verify-certificate", str(file), stdout=said)
    assert "The certificate holds." in said.getvalue()


def test_the_page_the_api_and_the_shell_say_it_and_none_of_them_breaks(acme: Firm, emptied: Certificate) -> None:
    make_member(acme, "ada", Role.AUDITOR)
    page = Visitor("ada").open("erasure_certificate", emptied.id)
    assert page.status == 200
    assert "This certificate can't be checked here" in page.text
    assert "the tenant itself is being erased" in page.text
    assert "This certificate does not hold" not in page.text
    file = Visitor("ada").open("erasure_certificate_json", emptied.id)
    assert file.status == NoProofError.kinds["audit.certificate_end_emptied"][0]
    assert "downloaded before then" in file.text
    answer = Api(make_key(acme, Role.AUDITOR)[1]).get(f"/api/v1/privacy/certificates/{emptied.id}/")
    problem = json.loads(answer.content)
    assert (answer.status_code, problem["code"]) == (410, "audit.certificate_end_emptied")
    assert "verify-certificate" in problem["detail"]
    with pytest.raises(CommandError, match="the tenant itself is being erased"):
        call_command("erasure", "certificate", str(emptied.run_id), stdout=StringIO())


def test_a_key_that_goes_between_two_reads_is_not_taken_for_damage(
    acme: Firm, emptied: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row was read the moment before the log was emptied; its key is asked for the moment after."""
    with open_scope(tenant=acme.id, reason="a test"):
        kept = Payload(event_id=emptied.event_id, group="core", data_key_id=UUID(int=1), ciphertext=b"")
        assert not DataKey.objects.filter(id=kept.data_key_id).exists()
    reads: list[Callable[..., Any]] = [lambda event: kept, document._sealed_core]
    monkeypatch.setattr(document, "_sealed_core", lambda event: reads.pop(0)(event))
    (check,) = told(acme, emptied)
    assert "the tenant itself is being erased" in check.problem
