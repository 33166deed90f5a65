"""What entities tell of documents that one may not see: nothing, by the database alone or the interface alone.

Beside the reports that somebody sees, others are taken in that name the same entities, name more of them, relate them
to somebody else, or are about people whom nothing else names: in another scope, in another tenant, or restricted.
Whoever asks gets the same as before: names, counts, links and the order of lists.
test_entities_alone.py has the application.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import pytest
from django.db import connection
from django.test import Client

from apps.erasure.contracts import Target, TargetType
from apps.erasure.holds.restrictions import restrict
from apps.erasure.models import Because
from apps.filings.selectors import entities
from apps.tenants.context import current_scope, open_scope
from apps.tenants.models import User
from apps.tenants.roles import Role
from tests.factories import Firm, make_firm, make_key, make_member
from tests.filings.held_graph import TEXT, take_in
from tests.isolation.test_facts_beside import Answers, told

pytestmark = pytest.mark.django_db

KEY: Final = "organisation:velden-cranes"
HIDDEN: Final[Mapping[str, str]] = {
    "the same entities": f"{TEXT}\nAnother edition.\n",
    "more names": f"{TEXT}\nMs. Ada Aardvark met Velden Cranes plc and Aardvark Holding AG.\n",
    "another relation": f"{TEXT}\nAardvark Holding AG acquired Velden Cranes plc.\n",
    "another name of the same": TEXT.replace("Velden Cranes plc", "VELDEN CRANES PLC"),
}
PLACES: Final = ("another scope", "another tenant", "restricted")
API: Final = (
    "/api/v1/entities/?name=vel",
    "/api/v1/entities/?name=a",
    "/api/v1/entities/?name=ada&type=person",
    f"/api/v1/entities/{KEY}/",
    f"/api/v1/entities/{KEY}/?with=organisation:ostrava-hoists",
    "/api/v1/entities/organisation:aardvark-holding/",
    "/api/v1/entities/person:ada-aardvark/",
    "/api/v1/entities/location:de/",
)
PAGES: Final = (
    "/admin/entities/?q=vel",
    "/admin/entities/?type=person",
    f"/admin/entities/?key={KEY}",
    "/admin/entities/?key=person:ada-aardvark",
)
_COUNT: Final = """
    SELECT (SELECT count(*) FROM filings_entitymention WHERE key LIKE '%aardvark%'),
           (SELECT count(*) FROM filings_relation WHERE subject_key LIKE '%aardvark%')
"""


@pytest.fixture
def knock(acme: Firm) -> Callable[[str], Answers]:
    """Return a function that knocks at every door, as an analyst of one scope."""
    take_in(acme, 2023)
    take_in(acme, 2024)
    make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha"])
    _, key = make_key(acme, Role.ANALYST, scopes=["fund:alpha"])
    page = Client()
    page.force_login(User.objects.get_by_natural_key("ann"))

    def at_every_door(hidden: str) -> Answers:
        answers: dict[str, Any] = {}
        for path in API:
            answers[path] = Client().get(path, headers={"authorization": f"Bearer {key}"})
        for path in PAGES:
            answers[path] = page.get(path)
        return {path: told(answer, hidden) for path, answer in answers.items()}

    return at_every_door


def hide(firm: Firm, place: str, text: str) -> str:
    """Take a report in where the analyst can't see it. Returns: its id."""
    if place == "another tenant":
        return str(take_in(make_firm("zenith"), 2024, text=text, title="Aardvark").id)
    scope = "fund:beta" if place == "another scope" else "fund:alpha"
    document = take_in(firm, 2024, text=text, title="Aardvark", scope=scope)
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
    after = knock(hide(acme, place, HIDDEN[what]))
    assert {path for path in before if before[path] != after[path]} == set()


def test_a_report_that_one_may_see_changes_the_doors(acme: Firm, knock: Callable[[str], Answers]) -> None:
    """The control: the same report in the analyst's own scope."""
    before = knock("00000000-0000-7000-8000-000000000000")
    document = take_in(acme, 2024, text=HIDDEN["another relation"], title="Aardvark")
    after = knock(str(document.id))
    changed = {path for path in before if before[path] != after[path]}
    assert {API[0], API[1], API[3], API[4], API[5], PAGES[0], PAGES[2]} <= changed


# --- Each wall without the others -------------------------------------------------------------------------------------


@pytest.fixture
def hidden(acme: Firm) -> Firm:
    take_in(acme, 2024)
    hide(acme, "another scope", HIDDEN["another relation"])
    hide(acme, "another tenant", HIDDEN["another relation"])
    return acme


def as_ann(firm: Firm) -> Any:
    ann = make_member(firm, "ann", Role.ANALYST, scopes=["fund:alpha"])
    return open_scope(tenant=firm.id, principal=ann, reason="a test")


def test_the_database_alone_shows_raw_sql_no_row_of_another_scope(hidden: Firm) -> None:
    with as_ann(hidden), connection.cursor() as cursor:
        cursor.execute(_COUNT)
        assert cursor.fetchone() == (0, 0)
        cursor.execute("SELECT count(*) FROM filings_entitymention")
        assert cursor.fetchone() > (0,)


def test_the_database_alone_holds_where_the_application_names_all_scopes(
    hidden: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = frozenset(scope.id for scope in hidden.scopes.values())
    with as_ann(hidden):
        wide = replace(current_scope(), scope_ids=every)
        monkeypatch.setattr(entities, "current_scope", lambda: wide)
        assert seen() == ([], [], 1)


@pytest.mark.parametrize("path", [*API, *PAGES])
def test_the_interface_alone_refuses_who_may_not_view_documents(
    hidden: Firm, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    def never(*_: object, **__: object) -> Any:
        raise AssertionError("the interface let the question through")

    monkeypatch.setattr(entities, "_read", never)
    if path.startswith("/admin"):
        assert Client().get(path).status_code == 302
        return
    assert Client().get(path).status_code == 401


def seen() -> tuple[list[Any], list[Any], int]:
    found = entities.find_of_all_types("aardvark")
    acquired = [each for each in entities.relations_of([KEY]) if "aardvark" in each.subject.key]
    velden = entities.entity_of_key(KEY)
    return found, acquired, velden.documents if velden else 0
