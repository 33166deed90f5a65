"""Who corrects a kind of document, and who proposes its removal: said to a client, and drawn on the document's page."""

from __future__ import annotations

import pytest

from apps.corpus.models import Document
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.api.conftest import ready_document
from tests.factories import Firm, make_key, make_member
from tests.intents.test_rights_held import in_force
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db

KIND = {"document_type": "report", "source_type": "internal"}
GIVEN = {"correctors": (Role.ANALYST,), "removers": (Role.DPO,)}


@pytest.fixture
def kept(acme: Firm) -> Document:
    """Past runs are corrected by analysts, and their removal is proposed by data protection officers."""
    made = ready_document(acme, kind="run")
    in_force(acme, run=GIVEN)
    return made


def test_a_correction_is_refused_to_a_role_that_the_policy_does_not_name(acme: Firm, kept: Document) -> None:
    admin, analyst = (Api(make_key(acme, role)[1]) for role in (Role.TENANT_ADMIN, Role.ANALYST))
    refused = admin.patch(f"/api/v1/documents/{kept.id}/", {"title": "Ours"})
    assert (refused.status_code, refused.json()["code"]) == (403, "corpus.kind_not_yours")
    assert analyst.patch(f"/api/v1/documents/{kept.id}/", {"title": "Ours"}).status_code == 202


def test_a_proposal_is_refused_to_a_role_that_the_policy_does_not_name(acme: Firm, kept: Document) -> None:
    refused = Api(make_key(acme, Role.TENANT_ADMIN)[1]).delete(f"/api/v1/documents/{kept.id}/?reason=duplicate")
    assert (refused.status_code, refused.json()["code"]) == (403, "corpus.kind_not_yours")


def test_the_policy_says_who_may(acme: Firm, kept: Document) -> None:
    budgets = Api(make_key(acme, Role.COMPLIANCE_OFFICER)[1]).get("/api/v1/policy/").json()["budgets"]
    by_kind = {budget["kind"]: budget for budget in budgets}
    assert (by_kind["run"]["correctors"], by_kind["run"]["removers"]) == (["analyst"], ["dpo"])
    assert not {"correctors", "removers"} & by_kind["methodology"].keys()


@pytest.mark.parametrize(
    ("role", "offered", "not_offered"),
    [
        (Role.ANALYST, "Correct its details", "Propose its removal"),
        (Role.DPO, "Propose its removal", "Correct its details"),
    ],
)
def test_the_page_offers_what_the_policy_gives(
    acme: Firm, kept: Document, role: Role, offered: str, not_offered: str
) -> None:
    make_member(acme, "alice", role)
    page = Visitor("alice").open("corpus_document_change", kept.id)
    assert offered in page.text
    assert not_offered not in page.text


def test_who_is_not_named_is_offered_neither_and_refused_when_typed_in(acme: Firm, kept: Document) -> None:
    make_member(acme, "tessa", Role.TENANT_ADMIN)
    visitor = Visitor("tessa")
    page = visitor.open("corpus_document_change", kept.id)
    assert not [said for said in ("Correct its details", "Propose its removal") if said in page.text]
    said = visitor.send("corpus_document_correct", kept.id, title="Ours", **KIND)
    assert "Your role may not correct documents of the kind" in said.text
