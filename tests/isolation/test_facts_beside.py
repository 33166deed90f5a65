"""What figures tell of documents that one may not see: every byte of every door is the same with them as without.

Beside the reports that somebody sees, others are taken in that say the same of the same company, restate it, begin it
earlier, or are of a company that nothing else names: in another scope, in another tenant, or restricted. Whoever asks
gets the same as before, headers and the order of lists included.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import pytest
from django.test import Client

from apps.erasure.contracts import Target, TargetType
from apps.erasure.holds.restrictions import restrict
from apps.erasure.models import Because
from apps.tenants.context import open_scope
from apps.tenants.models import User
from apps.tenants.roles import Role
from tests.factories import Firm, make_firm, make_key, make_member
from tests.filings.held import take_in
from tests.filings.reports import COMPANY, YEARS

pytestmark = pytest.mark.django_db

RESTATED: Final = {year: replace(each, revenue=each.revenue + 7) for year, each in YEARS.items()}
# Another file, since one that is taken in again is the same document; its revenue is the same.
AGAIN: Final = {year: replace(each, tax=each.tax + 1) for year, each in YEARS.items()}
EARLIER: Final = {2021: YEARS[2022], **AGAIN}
HIDDEN: Final[Mapping[str, Mapping[str, Any]]] = {
    "a further source": {"year": 2024, "years": AGAIN, "title": "Aardvark"},
    "a restatement": {"year": 2024, "years": RESTATED},
    "an earlier report": {"year": 2022, "years": EARLIER, "title": "Aardvark"},
    "a sum that fails": {"year": 2024, "misprint": 9},
    "a company of nobody": {"year": 2024, "years": AGAIN, "company": "Aardvark Holding"},
    "the same name in other letters": {"year": 2024, "years": AGAIN, "company": COMPANY.upper()},
}
PLACES: Final = ("another scope", "another tenant", "restricted")
API: Final = (
    "/api/v1/facts/",
    "/api/v1/facts/?page_size=3",
    "/api/v1/facts/?concept=revenue&fiscal_year=2023",
    "/api/v1/facts/?company=Aardvark+Holding",
    "/api/v1/facts/?check_result=failed",
    "/api/v1/facts/?document={hidden}",
    "/api/v1/documents/{hidden}/",
    f"/api/v1/series/?company={COMPANY}&concept=revenue",
    f"/api/v1/series/?company={COMPANY}&concept=net+income&quarters=true",
    "/api/v1/series/?company=Aardvark+Holding&concept=revenue",
)
PAGES: Final = (
    "/admin/companies/",
    f"/admin/companies/?company={COMPANY}",
    f"/admin/companies/?company={COMPANY}&quarters=1",
    "/admin/companies/?company=Aardvark+Holding",
)
# Of the request itself: tokens of forms and scripts, ids, and the time.
_VOLATILE: Final = re.compile(
    rb'csrfmiddlewaretoken" value="[^"]*"|nonce="[^"]*"|"request_id":"[^"]*"|X-CSRFToken[^}]*'
)
_OF_THE_REQUEST: Final = frozenset(
    {"set-cookie", "x-request-id", "server-timing", "content-security-policy", "expires"}
)
Answers = Mapping[str, tuple[int, Mapping[str, str], bytes]]


def told(answer: Any, asked: str) -> tuple[int, Mapping[str, str], bytes]:
    """Return what an answer says: its status, its headers and its bytes, without the id that was asked for."""
    headers = {name.lower(): value for name, value in answer.headers.items()}
    body: bytes = answer.content
    if "spreadsheetml" in headers.get("content-type", ""):
        with zipfile.ZipFile(io.BytesIO(body)) as book:
            body = b"".join(book.read(name) for name in sorted(book.namelist()) if not name.startswith("docProps"))
            headers.pop("content-length", None)
    return (
        answer.status_code,
        {name: value for name, value in headers.items() if name not in _OF_THE_REQUEST},
        _VOLATILE.sub(b"", body.replace(asked.encode(), b"asked")),
    )


@pytest.fixture
def knock(acme: Firm) -> Callable[[str], Answers]:
    """Return a function that knocks at every door, as an analyst of one scope."""
    for year in (2023, 2024):
        take_in(acme, year)
    make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha"])
    _, key = make_key(acme, Role.ANALYST, scopes=["fund:alpha"])
    page = Client()
    page.force_login(User.objects.get_by_natural_key("ann"))
    headers = {"authorization": f"Bearer {key}"}

    def at_every_door(hidden: str) -> Answers:
        answers: dict[str, Any] = {}
        for path in API:
            answers[path] = Client().get(path.format(hidden=hidden), headers=headers)
        for path in PAGES:
            answers[path] = page.get(path)
        for format in ("csv", "xlsx"):
            answers[format] = page.post(f"/admin/companies/?company={COMPANY}", {"format": format})
        return {path: told(answer, hidden) for path, answer in answers.items()}

    return at_every_door


def hide(firm: Firm, place: str, about: Mapping[str, Any]) -> str:
    """Take a report in where the analyst can't see it. Returns: its id."""
    if place == "another tenant":
        return str(take_in(make_firm("zenith"), **about).id)
    document = take_in(firm, **about, **({"scope": "fund:beta"} if place == "another scope" else {}))
    if place == "restricted":
        with open_scope(tenant=firm.id, reason="a test"):
            restrict([Target(type=TargetType.DOCUMENT, id=document.id)], Because.REQUEST, document.id)
    return str(document.id)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("what", HIDDEN)
def test_no_door_tells_of_a_report_that_one_may_not_see(
    acme: Firm, knock: Callable[[str], Answers], what: str, place: str
) -> None:
    before = knock("00000000-0000-7000-8000-000000000000")
    hidden = hide(acme, place, HIDDEN[what])
    after = knock(hidden)
    assert {path for path in before if before[path] != after[path]} == set()


def test_a_report_that_one_may_see_changes_the_doors(acme: Firm, knock: Callable[[str], Answers]) -> None:
    """The control: the same report in the analyst's own scope."""
    before = knock("00000000-0000-7000-8000-000000000000")
    after = knock(str(take_in(acme, **HIDDEN["a restatement"]).id))
    changed = {path for path in before if before[path] != after[path]}
    assert {"csv", "xlsx", API[5], API[6], API[7], PAGES[1]} <= changed
