"""Pages have one language, until a second one is whole: no German sign-in before English pages."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from apps.tenants.roles import Role
from tests.factories import make_firm, make_member

GERMAN = {"Accept-Language": "de-DE,de;q=0.9"}
PASSWORD = "a good password"
pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/admin/login/", "/password/"])
def test_a_german_browser_gets_the_sign_in_that_everybody_gets(path: str) -> None:
    page = Client().get(path, headers=GERMAN).content.decode()
    assert 'lang="en"' in page
    for words in ("Anmelden", "Benutzername", "Passwort", "Abmelden"):
        assert words not in page


def test_and_the_same_behind_it() -> None:
    make_member(make_firm("acme"), "alice", Role.ANALYST, password=PASSWORD)
    client = Client()
    refused = client.post("/admin/login/", {"username": "alice", "password": "wrong"}, headers=GERMAN)
    assert "correct username and password" in refused.content.decode()
    client.post("/admin/login/", {"username": "alice", "password": PASSWORD}, headers=GERMAN)
    page = client.get(reverse("admin:index"), headers=GERMAN).content.decode()
    assert 'lang="en"' in page
    assert "Abmelden" not in page


@pytest.mark.parametrize("path", ["/api/v1/docs/", "/api/v1/problems/", "/invitation/", "/nowhere/", "/admin/nowhere/"])
def test_and_so_are_the_pages_around_it(path: str) -> None:
    page = Client().get(path, headers=GERMAN, follow=True).content.decode()
    assert '<html lang="en"' in page
