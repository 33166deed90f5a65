"""The access centre tells of nothing in another tenant, and of no document in a scope that the asker may not see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from apps.errors import ApplicationError
from apps.intents.access.register.asking import Asked, Form, Register, register_ask
from apps.intents.access.register.csv_file import register_csv
from apps.intents.access.register.json_page import register_json
from apps.tenants.context import open_scope
from apps.tenants.models import ApiKey
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import ingest
from tests.factories import Firm, as_, make_firm, make_key, make_member

pytestmark = pytest.mark.django_db

TITLE = "Minutes of the board of the second firm"


@pytest.fixture
def half(acme: Firm) -> Principal:
    return make_member(acme, "half", Role.AUDITOR, scopes=["fund:alpha"])


def ask(by: Principal, **question: Any) -> Register:
    with as_(by):
        return register_ask(Asked(**question), form=Form.PAGE)


def told(by: Principal, **question: Any) -> tuple[str, dict[str, Any]]:
    """What somebody is told who asks for what they may not know of: the code and the data of the error."""
    with pytest.raises(ApplicationError) as raised:
        ask(by, **question)
    return raised.value.code, dict(raised.value.data)


Named = Callable[[Firm], dict[str, Any]]


def _key(firm: Firm) -> dict[str, Any]:
    key, _ = make_key(firm, Role.ANALYST)
    with open_scope(tenant=firm.id, reason="a test"):
        return {"key": ApiKey.objects.get(id=key.id).prefix}


def _document(firm: Firm) -> dict[str, Any]:
    return {"document": str(ingest(firm, title=TITLE, scope="fund:beta").document.id)}


def _title(firm: Firm) -> dict[str, Any]:
    ingest(firm, title=TITLE, scope="fund:beta")
    return {"document": "board of the second"}


def _user(firm: Firm) -> dict[str, Any]:
    make_member(firm, "zacharias", Role.ANALYST)
    return {"user": "zacharias"}


NOWHERE: dict[str, tuple[Named, dict[str, Any]]] = {
    "key": (_key, {"key": "000000000000"}),
    "user": (_user, {"user": "zebedaeus"}),
    "document": (_document, {"document": str(uuid4())}),
    "title": (_title, {"document": "board of the third"}),
}


@pytest.mark.parametrize("what", NOWHERE)
def test_what_another_tenant_has_is_as_unknown_as_what_nobody_has(acme: Firm, half: Principal, what: str) -> None:
    """The control: whoever may see it gets an answer."""
    make, nothing = NOWHERE[what]
    bolt = make_firm("bolt")
    question = make(bolt)
    assert ask(make_member(bolt, "bea", Role.AUDITOR), **question).question
    assert told(half, **question) == told(half, **nothing)


@pytest.mark.parametrize("what", ["document", "title"])
def test_a_document_of_an_unseen_scope_is_as_unknown_as_one_that_nobody_has(
    acme: Firm, half: Principal, what: str
) -> None:
    make, nothing = NOWHERE[what]
    question = make(acme)
    assert ask(make_member(acme, "ada", Role.AUDITOR), **question).question
    assert told(half, **question) == told(half, **nothing)


def test_no_form_of_an_answer_names_a_scope_that_the_asker_may_not_see(acme: Firm, half: Principal) -> None:
    make_member(acme, "ben", Role.ANALYST, scopes=["fund:beta"])
    for asker, names in ((half, False), (make_member(acme, "ada", Role.AUDITOR), True)):
        with as_(asker):
            register = register_ask(Asked(), form=Form.CSV)
            forms = [str(register_json(register, first=0, limit=100))]
        with as_(asker):
            forms.append(b"".join(register_csv(register)).decode())
        assert [("fund:beta" in each) for each in forms] == [names, names]
