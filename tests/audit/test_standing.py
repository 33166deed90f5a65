"""A name that still stands somewhere can't be looked for: that is told with its places, and never passed over."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any, Final

import pytest
from django.conf import LazySettings, settings
from django.core.management import call_command
from django.urls import reverse

from apps.audit.ids import new_id
from apps.erasure import registry
from apps.erasure.certificate import offline
from apps.erasure.certificate.checking import checked
from apps.erasure.contracts import Origin
from apps.erasure.models import Certificate
from apps.erasure.proof.preparing import gathered_of
from apps.erasure.registry import register_given_texts
from apps.erasure.runs.staying import Reason
from apps.tenants.roles import Role
from tests.audit.proving import certified, letter, own_access
from tests.audit.test_certificate import Json, file_of
from tests.baked import baked
from tests.factories import Firm, make_firm, make_member
from tests.own import OWN
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)

SHARED: Final = f"Charlotte{OWN} Quast"
OWN_NAME: Final = f"Walburga{OWN} Tannhäuser"
SHORT: Final = "Li Po"


@pytest.fixture
def acme(settings: LazySettings, tmp_path: Path) -> Firm:
    settings.GLASSBOX_CHECKPOINT_URL = str(tmp_path / "checkpoints")
    return baked(make_firm, "acme")


@pytest.fixture
def _given() -> Iterator[None]:
    before = dict(registry._given)
    registry._given.clear()
    register_given_texts(Origin.REQUEST, lambda connection, tenant, origin: [SHARED, OWN_NAME, SHORT])
    yield
    registry._given.clear()
    registry._given.update(before)


@pytest.mark.usefixtures("_given")
def test_each_name_that_stands_is_told_by_its_places_and_never_by_itself(acme: Firm, tmp_path: Path) -> None:
    bolt = make_firm("bolt")
    goes, alone, stays = letter(acme, SHARED), letter(acme, OWN_NAME), letter(acme, SHARED)
    of_another_firm = letter(bolt, SHARED)
    found = gathered_of(
        acme.id,
        going=[goes, alone],
        stay=[],
        origins=[(Origin.REQUEST, new_id())],
        access=own_access(tmp_path, turned_over=False),
    )
    patterns = {needle.pattern for needle in found.gathered.needles.needles}
    assert SHARED.encode() not in patterns
    assert OWN_NAME.encode() in patterns
    shared, short = found.standing
    assert (shared["name"], shared["why"], shared["elsewhere"]) == (1, "stands", True)
    assert {place["document"] for place in shared["where"]} == {str(stays.id)}
    assert {(place["table"], place["column"]) for place in shared["where"]} >= {
        ("corpus_document", "title"),
        ("corpus_document", "filename"),
        ("corpus_page", "text"),
        ("corpus_chunk", "text"),
        ("corpus_sourcefile", "content"),
    }
    assert shared["places"] == len(shared["where"])
    assert {place["page"] for place in shared["where"] if place["table"] == "corpus_page"} == {1}
    assert {place["because"] for place in shared["where"]} == {"not_decided"}
    assert (short["name"], short["why"]) == (3, "too_short")
    told = json.dumps(found.standing)
    assert not [word for word in ("Charlotte", "Li Po", OWN, str(of_another_firm.id), str(bolt.id)) if word in told]


@pytest.mark.usefixtures("_given")
def test_what_a_hold_keeps_is_told_as_that(acme: Firm, tmp_path: Path) -> None:
    goes, held = letter(acme, SHARED), letter(acme, SHARED)
    found = gathered_of(
        acme.id,
        going=[goes],
        stay=[held],
        origins=[(Origin.REQUEST, new_id())],
        access=own_access(tmp_path, turned_over=False),
    )
    shared = found.standing[0]
    assert {place["because"] for place in shared["where"]} == {"kept"}
    assert {place["document"] for place in shared["where"]} == {str(held.id)}


def place(**changes: Any) -> dict[str, Any]:
    return {
        "table": "corpus_page",
        "column": "text",
        "row": str(new_id()),
        "document": str(new_id()),
        "page": 3,
        "scope": None,
        "because": "somebody_else",
        **changes,
    }


def names(firm: Firm) -> list[dict[str, Any]]:
    where = [
        place(scope=str(firm.scopes["fund:alpha"].id), page=7),
        place(scope=str(new_id()), page=8),
        place(table="corpus_chunk"),
    ]
    return [
        {"name": 1, "why": "stands", "places": 5, "elsewhere": True, "where": where},
        {"name": 2, "why": "too_short", "places": 0, "elsewhere": False, "where": []},
    ]


def said(document: Json, folder: Path) -> list[str]:
    """The sentences about names, of both verifiers, which must be the same."""
    path = folder / "certificate.json"
    path.write_text(json.dumps(document))
    keys = [word for key in settings.GLASSBOX_LOG_VERIFY_KEYS for word in ("--key", key.line())]
    found = subprocess.run(
        [sys.executable, "-I", offline.__file__, path, *keys], capture_output=True, text=True, check=False, env={}
    )
    assert found.returncode == 0, found.stdout
    told = StringIO()
    call_command("erasure", "verify-certificate", str(path), stdout=told)
    lines = [line for line in found.stdout.splitlines() if line.startswith("Name no.")]
    assert lines == [line for line in told.getvalue().splitlines() if line.startswith("Name no.")]
    return lines


@pytest.mark.slow
def test_a_certificate_is_never_clean_without_naming_them(acme: Firm, tmp_path: Path) -> None:
    certificate = certified(acme, standing=names(acme))
    document = file_of(acme, certificate)
    assert document["certificate"]["format"] == "glassbox.erasure.certificate.v2"
    first, second = said(document, tmp_path)
    assert "STILL APPEARS in 5 places (1 in corpus_chunk.text: somebody_else, 2 in corpus_page.text" in first
    assert "outside the data that this firm holds" in first
    assert "too short" in second
    make_member(acme, "ada", Role.AUDITOR)
    page = Visitor("ada").open("erasure_certificate", certificate.id).text
    assert "found nothing of what was removed (except for 2 names that could not be searched for: see below)" in page
    assert "Scan clean, except for names that still appear" in page
    file = Visitor("ada").get(reverse("admin:erasure_certificate_html", args=[certificate.id])).content.decode()
    assert "STILL APPEARS" in file


@pytest.mark.slow
def test_the_runs_page_names_the_places_that_lie_in_the_readers_scopes(acme: Firm) -> None:
    certificate = certified(acme, standing=names(acme))
    make_member(acme, "ada", Role.AUDITOR, scopes=["fund:alpha"])
    page = Visitor("ada").open("removal_run", certificate.run_id).text
    assert "Nothing found, except for names that still appear" in page
    assert "page 7" in page
    assert "page 8" not in page
    assert "1 more in scopes that you do not hold" in page
    assert "2 more, which are only counted" in page
    assert str(Reason.SOMEBODY_ELSE.label) in page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("standing", 0, "where"), []),
        (("standing", 0, "places"), 0),
        (("standing", 0, "places"), 1),
        (("standing", 1, "why"), "stands"),
        (("standing", 1, "places"), 1),
        (("standing",), None),
        (("standing",), []),
        (("format",), "glassbox.erasure.certificate.v1"),
        (("format",), "glassbox.erasure.certificate.v3"),
    ],
)
def test_what_was_altered_of_it_is_found_out_by_both_alike(acme: Firm, path: tuple[Any, ...], value: object) -> None:
    document = file_of(acme, certified_once(acme))
    inner: Any = document["certificate"]
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    keys = [offline.parsed_key(key.line()) for key in settings.GLASSBOX_LOG_VERIFY_KEYS]
    ours = [check.label for check in checked(document, settings.GLASSBOX_LOG_VERIFY_KEYS) if check.problem]
    assert ours == [label for label, problem in offline.checked(document, keys) if problem]
    assert ours


def certified_once(firm: Firm) -> Certificate:
    return certified(firm, standing=names(firm))
