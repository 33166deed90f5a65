"""What a role may not do is not shown, and refused when typed in."""

from __future__ import annotations

import pytest

from apps.tenants.models import User
from apps.tenants.roles import PERMISSIONS, Permission, Role
from tests.factories import Firm, make_member, make_user
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db

# Pages that need no row, with what each needs. Held against the table of roles, role by role.
PAGES = {
    "index": None,
    "corpus_document_changelist": Permission.DOCUMENT_VIEW,
    "corpus_document_add": Permission.DOCUMENT_ADD,
    "corpus_ingestjob_changelist": Permission.DOCUMENT_VIEW,
    "tenants_scope_changelist": Permission.DOCUMENT_VIEW,
    "tenants_scope_add": Permission.SCOPE_MANAGE,
    "intents_policyversion_changelist": Permission.POLICY_VIEW,
    "intents_policyversion_in_force": Permission.POLICY_VIEW,
    "audit_event_changelist": Permission.AUDIT_VIEW,
    "tenants_membership_changelist": Permission.MEMBER_VIEW,
    "tenants_membership_add": Permission.MEMBER_MANAGE,
    "tenants_apikey_changelist": Permission.KEY_MANAGE,
    "tenants_apikey_add": Permission.KEY_MANAGE,
}
# Nobody adds these by hand, nobody deletes anything on a page of Django's, and accounts are the platform's.
NOBODY = (
    "corpus_ingestjob_add",
    "intents_policyversion_add",
    "audit_event_add",
    "tenants_tenant_add",
    "tenants_user_add",
    "tenants_user_changelist",
)


@pytest.mark.slow
@pytest.mark.parametrize("role", list(Role))
def test_a_role_opens_what_the_table_gives_it_and_no_more(acme: Firm, role: Role) -> None:
    make_member(acme, "alice", role)
    alice = Visitor("alice")
    opened = {name for name in PAGES if alice.open(name).status == 200}
    assert opened == {name for name, needed in PAGES.items() if needed is None or needed in PERMISSIONS[role]}
    assert {alice.open(name).status for name in NOBODY} == {403}


@pytest.mark.slow
@pytest.mark.parametrize("role", list(Role))
def test_every_link_that_a_role_is_shown_opens(acme: Firm, role: Role) -> None:
    make_member(acme, "alice", role)
    alice = Visitor("alice")
    start = alice.open("index")
    shown = {link for link in start.sidebar + start.links if link.startswith("/admin/")}
    assert {link: alice.get(link, follow=True).status_code for link in shown} == dict.fromkeys(shown, 200)


def test_a_refusal_names_the_roles_that_would_do(acme: Firm) -> None:
    make_member(acme, "bob", Role.REVIEWER)
    page = Visitor("bob").open("tenants_apikey_changelist")
    assert page.status == 403
    assert "These roles have it: Tenant administrator" in page.text


def test_a_reviewer_is_not_shown_the_keys(acme: Firm) -> None:
    make_member(acme, "bob", Role.REVIEWER)
    assert not [link for link in Visitor("bob").open("index").sidebar if "apikey" in link]


@pytest.mark.parametrize("page", ["scopes", "end"])
def test_an_officer_sees_members_and_changes_none(acme: Firm, page: str) -> None:
    make_member(acme, "oscar", Role.COMPLIANCE_OFFICER)
    from apps.tenants.context import open_scope
    from apps.tenants.models import Membership

    with open_scope(tenant=acme.id, reason="a test"):
        membership = Membership.objects.get()
    oscar = Visitor("oscar")
    assert oscar.open("tenants_membership_change", membership.id).status == 200
    assert oscar.send(f"tenants_membership_{page}", membership.id).status == 403
    with open_scope(tenant=acme.id, reason="a test"):
        assert Membership.objects.get().revoked_at is None


def test_two_roles_open_what_either_does(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    make_member(acme, "alice", Role.AUDITOR)
    alice = Visitor("alice")
    assert alice.open("corpus_document_add").status == 200
    assert alice.open("audit_event_changelist").status == 200


def test_a_superuser_sees_no_more_of_a_tenant_than_the_role_does(acme: Firm) -> None:
    make_user("root", superuser=True)
    make_member(acme, "root", Role.ANALYST)
    root = Visitor("root")
    assert root.open("tenants_apikey_changelist").status == 403
    assert root.open("tenants_user_changelist").status == 200
    # Accounts are made by an invitation, and none is deleted: refused as a page, not as a failure.
    person = User.objects.get_by_natural_key("root")
    assert [root.open(*each).status for each in (("tenants_user_add",), ("tenants_user_delete", person.pk))] == [
        403,
        403,
    ]
