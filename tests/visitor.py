"""A person at the admin, without a browser: signs in, opens pages by name, reads what they show."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from lxml import html

from apps.tenants.models import User

# Pages on which a decision names what was read, and the fields by which it does.
_DECIDED_ON = frozenset(
    {
        *("erasure_request", "erasure_request_step", "erasure_inventory", "access_package", "removal_run", "purge"),
        *("retention_schedule", "retention_draft_submit", "retention_draft_discard"),
        *("policy_review", "policy_draft_submit"),
        *("tenants_membership_confirm", "tenants_membership_decline"),
    }
)
_READ = frozenset({"revision", "run_id", "number", "against"})


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
        """Post a form. What the page says that its reader has read (a revision) is sent along, as a browser does."""
        url = reverse(f"admin:{name}", args=args)
        read = self._read(url, fields) if name in _DECIDED_ON and not fields.keys() & _READ else {}
        return Page(self.post(url, {**read, **fields}))

    def _read(self, url: str, fields: dict[str, Any]) -> dict[str, str]:
        shown = self.get(url)
        if shown.status_code != 200:
            return {}
        forms = html.document_fromstring(shown.content.decode()).xpath("//*[@id='main']//form[@method='post']")
        if act := fields.get("act"):
            forms = [form for form in forms if form.xpath(".//*[@name='act'][@value=$act]", act=act)]
        hidden = forms[0].xpath(".//input[@type='hidden']") if forms else []
        return {each.get("name"): each.get("value") for each in hidden if each.get("name") in _READ}


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
