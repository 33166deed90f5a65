"""A person at the admin, without a browser: signs in, opens pages by name, reads what they show."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from lxml import html

from apps.tenants.models import User


class Visitor(Client):
    """Django's test client, signed in."""

    def __init__(self, username: str = "") -> None:
        super().__init__()
        if username:
            self.force_login(User.objects.get_by_natural_key(username))

    def open(self, name: str, /, *args: UUID | str, **query: Any) -> Page:
        """A page by its name in the admin, such as corpus_document_changelist; query becomes ?name=value."""
        return Page(self.get(reverse(f"admin:{name}", args=args), query))

    def send(self, name: str, /, *args: UUID | str, **fields: Any) -> Page:
        return Page(self.post(reverse(f"admin:{name}", args=args), fields))


class Page:
    """An answer, and what a reader sees of it."""

    def __init__(self, response: HttpResponse) -> None:
        self.response = response
        self.status = response.status_code

    @property
    def tree(self) -> html.HtmlElement:
        return html.document_fromstring(self.response.content.decode())

    @property
    def text(self) -> str:
        """The main part's words, in one line."""
        main = self.tree.xpath("//*[@id='main']") or self.tree.xpath("//body")
        return " ".join(main[0].text_content().split())

    @property
    def links(self) -> list[str]:
        return [str(link) for link in self.tree.xpath("//*[@id='main']//a/@href")]

    @property
    def sidebar(self) -> list[str]:
        return [str(link) for link in self.tree.xpath("//*[@id='nav-sidebar-apps']//a/@href")]

    @property
    def location(self) -> str:
        return self.response.headers.get("Location", "")

    def rows(self) -> list[str]:
        """The lines of a list, as words."""
        return [" ".join(row.text_content().split()) for row in self.tree.xpath("//tr[contains(@class, 'data-row')]")]

    def errors_of(self, field: str) -> str:
        """What stands beside a field."""
        beside = self.tree.xpath(f"//*[@name='{field}']/ancestor::div[contains(@class, 'errors')][1]")
        return " ".join(beside[0].text_content().split()) if beside else ""
