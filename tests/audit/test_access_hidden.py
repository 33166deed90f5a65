"""A name that is hidden at one place of an access package goes out nowhere else in it, in no spelling."""

from __future__ import annotations

import html as html_module
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.conf import LazySettings

from apps.audit.services import record
from apps.erasure.runs.staying import Reason
from apps.privacy.access_packages.everywhere import HIDDEN
from apps.privacy.access_packages.quoting import Chosen, quotes_decide
from apps.privacy.access_packages.told import told_by_rules
from apps.privacy.codes.inventory import Decision, Quoting
from apps.privacy.inventory.deciding import Said, hits_decide
from apps.privacy.models import AccessPackage, ErasureRequest
from apps.tenants.context import open_scope
from tests.audit.accessing import asked, confirmed, made, quote_all, taken_out, things
from tests.audit.inventorying import NAME, confirm_all, groups, inventoried, stored
from tests.audit.requesting import Office, make_office
from tests.baked import baked
from tests.corpus.ingesting import remote_profile
from tests.deciding import package_make
from tests.factories import as_
from tests.model_server import ModelServer
from tests.raising import raises_code

pytestmark = pytest.mark.django_db(transaction=True)
HIDE = "Jürgen Müller-Öhlenschläger"
# The same person as others write it; each in a document of its own, and nothing of it may be left.
SPELLINGS = {
    "case": "JÜRGEN MÜLLER-ÖHLENSCHLÄGER",
    "umlauts": "Juergen Mueller-Oehlenschlaeger",
    "accents": "Jurgen Muller-Ohlenschlager",
    "initials": "J. Müller-Öhlenschläger",
    "turned": "Müller-Öhlenschläger, Jürgen",
    "family": "Herr Müller-Öhlenschläger",
    "genitive": "Jürgen Müller-Öhlenschlägers",
    "hyphenation": "Jürgen Müller-Öhlen-\nschläger",
    "slip": "Jürgen Müller-Öhlenschäger",
}


@pytest.fixture
def office(settings: LazySettings) -> Iterator[Office]:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        yield baked(make_office)


def left_in(text: str) -> list[str]:
    """What of the hidden name stands in a text, found without the search."""
    plain = re.sub(r"<[^>]+>", "", html_module.unescape(text)).lower()
    for umlaut, written in (("ü", "u"), ("ö", "o"), ("ä", "a"), ("ue", "u"), ("oe", "o"), ("ae", "a")):
        plain = plain.replace(umlaut, written)
    return re.findall(r"jurgen|muller|ohlen|schl?ager", plain)


def hidden_once(office: Office, request: ErasureRequest, *words: str) -> None:
    """Quote everything, and hide the words at the one place that they were seen at, in the document called First."""
    (first,) = [each for each in things(office, request) if each.name == "First"]
    quote = next(each for each in first.quotes if each.read and words[0] in f"{each.read.before}{each.read.after}")
    with as_(office.dora):
        quotes_decide(request.id, [Chosen(hit_id=quote.hit.id, seen="", quoting=Quoting.QUOTED, hidden=words)])
    quote_all(office, request)


@pytest.mark.slow
def test_every_spelling_of_it_is_hidden_in_every_part_of_the_package(office: Office) -> None:
    stored(office, f"# A call\n\n{HIDE} and {NAME} called us.\n".encode(), title="First")
    for number, (kind, spelling) in enumerate(SPELLINGS.items()):
        stored(office, f"# Note {number}\n\nWe saw {NAME} with {spelling} today.\n".encode(), title=f"Note on {kind}")
    stored(office, f"# Letter\n\n{NAME} wrote.\n".encode(), title=f"Letter of {HIDE}")
    with open_scope(tenant=office.firm.id, reason="a test"):
        record(
            action="retrieval.question.answered",
            core={"intent": "facts"},
            question={"text": f"What did {HIDE.upper()} say to {NAME}?"},
        )
    request = confirmed(office)
    hidden_once(office, request, HIDE)
    made(office, request)
    package, page = taken_out(office, request)
    assert left_in(str(package)) == []
    assert left_in(page) == []
    entries = [entry for each in package["categories"] for entry in each["entries"]]
    assert f"Letter of {HIDDEN}" in [entry["name"] for entry in entries]
    assert len(entries) > len(SPELLINGS) + 2
    assert page.count(HIDDEN) > len(SPELLINGS) + 2
    assert page.count(NAME) > len(SPELLINGS) + 2


@pytest.mark.slow
def test_without_hiding_anything_all_of_it_is_there(office: Office) -> None:
    """The control: what the test before looks for is there to be found."""
    for kind, spelling in SPELLINGS.items():
        stored(office, f"# Note\n\nWe saw {NAME} with {spelling} today.\n".encode(), title=f"Note on {kind}")
    request = confirmed(office)
    quote_all(office, request)
    made(office, request)
    package, page = taken_out(office, request)
    assert len(left_in(str(package))) > 2 * len(SPELLINGS)
    assert len(left_in(page)) > 2 * len(SPELLINGS)


@pytest.mark.slow
def test_a_name_that_the_edge_of_a_quote_would_cut_leaves_nothing(office: Office) -> None:
    filling = "and so on " * 23
    stored(office, f"# A call\n\n{HIDE} and {NAME} called us.\n".encode(), title="First")
    for size in range(0, len(HIDE), 4):
        words = f"{NAME} {filling}{'x' * size} {HIDE} spoke."
        stored(office, f"# Note {size}\n\n{words}\n".encode(), title=f"Note {size}")
    request = confirmed(office)
    hidden_once(office, request, HIDE)
    made(office, request)
    package, page = taken_out(office, request)
    assert left_in(str(package)) == left_in(page) == []


def test_somebody_of_the_same_family_name_stays_named_in_their_own_package(office: Office) -> None:
    stored(office, f"# A call\n\nErna Falkenhayn and {NAME} called us.\n".encode(), title="First")
    stored(office, f"# Note\n\nWe saw {NAME} today, and erna falkenhayn.\n".encode(), title="Note")
    request = asked(office)
    inventoried(office, request)
    other = [hit.id for group in groups(office, request) for hit in group.uncertain]
    with as_(office.dora):
        hits_decide(request.id, [Said(hit_id=id, seen=Decision.OPEN, reason=Reason.SOMEBODY_ELSE) for id in other])
    confirm_all(office, request)
    hidden_once(office, request, "Erna Falkenhayn")
    made(office, request)
    package, page = taken_out(office, request)
    assert "erna" not in f"{package}{page}".lower()
    assert page.count(NAME) > 2


@pytest.mark.parametrize(
    ("told", "place"),
    [("purposes", "purposes"), ("source", "the source"), ("retention", "how long"), ("legal_basis", "the legal basis")],
)
def test_what_the_firm_says_beside_the_places_must_be_changed_first(office: Office, told: str, place: str) -> None:
    stored(office, f"# A call\n\n{HIDE} and {NAME} called us.\n".encode(), title="First")
    request = confirmed(office)
    hidden_once(office, request, HIDE)
    with as_(office.dora):
        words = replace(told_by_rules(request.language), **{told: "As Juergen Mueller-Oehlenschlaeger said."})
        with raises_code("audit.access_hidden_elsewhere") as refused:
            package_make(request.id, told=words)
    assert place in refused.value.detail
    assert not left_in(refused.value.detail)
    with open_scope(tenant=office.firm.id, reason="a test"):
        assert not AccessPackage.objects.exists()
    made(office, request)


def test_a_place_that_is_said_to_be_both_the_person_and_another_is_decided_on_first(office: Office) -> None:
    stored(office, f"# A call\n\nWe called {NAME}.\n\nOn Tuesday {NAME} called us.\n".encode(), title="First")
    request = confirmed(office)
    hidden_once(office, request, NAME)
    assert any(quote.collides and quote.is_open for thing in things(office, request) for quote in thing.quotes)
    with raises_code("audit.access_not_preparable") as refused:
        made(office, request)
    assert NAME not in refused.value.detail
