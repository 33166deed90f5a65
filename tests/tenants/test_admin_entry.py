"""Who gets into the admin, and what the others are told."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from apps.tenants.context import open_scope
from apps.tenants.models import Membership
from apps.tenants.roles import Role
from apps.tenants.services.members import membership_revoke
from tests.factories import Firm, make_firm, make_member, make_user
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db


def test_nobody_is_sent_to_the_login_page_and_comes_back_to_where_they_wanted() -> None:
    page = Visitor().open("corpus_document_changelist")
    assert (page.status, page.location) == (302, "/admin/login/?next=/admin/corpus/document/")


def test_the_login_page_says_what_this_is() -> None:
    assert "answers questions from your firm's own documents" in Page(Client().get("/admin/login/")).text


def test_a_member_signs_in_and_lands_on_the_start_page(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST, password="a good password")
    response = Client().post("/admin/login/", {"username": "alice", "password": "a good password"})
    assert (response.status_code, response.headers["Location"]) == (302, "/admin/")


def test_a_wrong_password_is_answered_beside_the_form(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST, password="a good password")
    page = Page(Client().post("/admin/login/", {"username": "alice", "password": "a bad one"}))
    assert (page.status, "correct username and password" in page.text) == (200, True)


@pytest.mark.parametrize("superuser", [False, True])
def test_a_person_without_a_tenant_is_told_so_on_every_page(acme: Firm, superuser: bool) -> None:
    make_user("charlie", superuser=superuser)
    visitor = Visitor("charlie")
    page = Page(visitor.get("/admin/corpus/document/", follow=True))
    assert page.status == 403
    assert "signed in as charlie" in page.text


def test_a_person_without_a_tenant_can_sign_out() -> None:
    make_user("charlie")
    visitor = Visitor("charlie")
    visitor.post(reverse("admin:logout"))
    assert "_auth_user_id" not in visitor.session


def test_an_account_that_is_not_staff_is_kept_out(acme: Firm) -> None:
    make_user("bob", staff=False)
    make_member(acme, "bob", Role.ANALYST)
    page = Page(Visitor("bob").get("/admin/", follow=True))
    assert (page.status, "the API only" in page.text) == (403, True)


def test_a_membership_that_ends_shuts_the_door_for_the_next_request(acme: Firm) -> None:
    make_member(acme, "bob", Role.ANALYST)
    bob = Visitor("bob")
    assert bob.open("index").status == 200
    with open_scope(tenant=acme.id, reason="a test"):
        membership_revoke(Membership.objects.get())
    assert bob.open("index").status == 302


def test_a_row_of_another_tenant_looks_like_none(acme: Firm) -> None:
    bolt = make_firm("bolt")
    make_member(acme, "alice", Role.TENANT_ADMIN)
    alice = Visitor("alice")
    foreign = alice.open("tenants_scope_change", bolt.root.id)
    absent = alice.open("tenants_scope_change", "00000000-0000-7000-8000-000000000000")
    assert (foreign.status, foreign.text) == (404, absent.text)


@pytest.mark.parametrize("template", ["404.html", "500.html", "403.html", "400.html", "403_csrf.html"])
def test_the_error_pages_need_nothing_to_be_drawn(template: str) -> None:
    from django.template.loader import get_template

    assert "Back to the start page" in get_template(template).render()


def test_django_keeps_no_second_record(acme: Firm) -> None:
    """The runtime role has no rights on django_admin_log: a page that wrote or read it would fail."""
    make_member(acme, "alice", Role.TENANT_ADMIN)
    alice = Visitor("alice")
    saved = alice.send(
        "tenants_tenant_change",
        acme.id,
        name="Acme Ltd",
        residency_region="eu",
        embedding_profile="local",
        generation_profile="extractive",
    )
    assert saved.status == 302
    assert alice.open("tenants_tenant_history", acme.id).status == 403


def test_there_is_no_way_from_a_content_type_to_a_row(acme: Firm) -> None:
    make_member(acme, "alice", Role.TENANT_ADMIN)
    assert Visitor("alice").get("/admin/r/1/00000000-0000-7000-8000-000000000000/").status_code == 404
