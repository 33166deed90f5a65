"""A package speaks the language of its request: every sentence of it, in each language that letters are written in."""

from __future__ import annotations

import html as html_module
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, date, datetime, time
from string import Formatter
from typing import Any

import lxml.html
import pytest
from django.conf import LazySettings
from django.db import connection, transaction

from apps.audit.registry import Group, event_classes
from apps.corpus.kinds import RetentionClass
from apps.corpus.models import DocumentStatus
from apps.corpus.searched_texts import FIELDS
from apps.erasure.models import RetentionRule
from apps.erasure.registry import searched
from apps.erasure.retention.subjects import subjects
from apps.intents.fund_house import FUND_HOUSE
from apps.privacy.access_packages.around import kinds_of_events
from apps.privacy.access_packages.packages import package_take_out
from apps.privacy.access_packages.told import told_by_rules
from apps.privacy.access_packages.wordings import WORDINGS, counted, moment, period, wording_of
from apps.privacy.access_packages.wordings.contract import Chapter, PackageWording
from apps.privacy.codes.requests import Delivery, Language, LetterKind
from apps.privacy.requests.details import letter_text
from apps.privacy.requests.letters import day
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.audit.accessing import asked, confirmed, files_of, made, prepared, quote_all, taken_out
from tests.audit.inventorying import Found, asked_about, confirm_all, found_in, inventoried
from tests.audit.mutations import acting_as
from tests.audit.requesting import Office, make_office
from tests.baked import baked
from tests.corpus.ingesting import remote_profile
from tests.deciding import access_answer
from tests.factories import as_
from tests.model_server import ModelServer
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)

ENGLISH, GERMAN = WORDINGS[Language.ENGLISH], WORDINGS[Language.GERMAN]
# What the firm itself says of its documents stands in no chapter.
_OF_THE_FIRM = {f"documents.{name}" for name in ("purpose", "legal_basis", "source", "retention")}
_SHORT = 12  # characters: shorter ones stand in other words too, such as "no"


@pytest.fixture
def office(settings: LazySettings) -> Iterator[Office]:
    settings.EMAIL_HOST = "mail.example"
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        yield baked(make_office)


@pytest.fixture
def found(office: Office) -> Found:
    return baked(found_in, on=office)


def said(words: Any, name: str = "") -> dict[str, str]:
    """Every text of a wording by its path, without the codes that it is found by."""
    if isinstance(words, str):
        return {name: words}
    parts: Mapping[str, Any] = {}
    if is_dataclass(words):
        parts = {field.name: getattr(words, field.name) for field in fields(words)}
    elif isinstance(words, Mapping):
        parts = words
    elif isinstance(words, tuple):
        parts = {str(number): each for number, each in enumerate(words)}
    return {path: text for key, each in parts.items() for path, text in said(each, f"{name}.{key}".strip(".")).items()}


def expected() -> dict[str, set[str]]:
    """By table of a wording: every code that something of this release may ask it for."""
    return {
        "stores": {key for source in searched() for key in source.stores},
        "kinds": {kind.value for kind in FUND_HOUSE},
        "statuses": set(DocumentStatus.values),
        "places": {*FIELDS, "header", *(str(group) for group in Group)},
        "recipients.roles": set(Role.values),
        "recipients.columns": {"who", "which", "gets", "region", "leaves_region"},
        "keeping.columns": {"what", "legal_basis", "at_least", "in_force"},
        "keeping.grounds": {subject.legal_basis for subject in subjects().values()},
    }


def missing(wording: PackageWording) -> set[str]:
    """What a language has no words for, or other gaps to fill than English has."""
    texts, others = said(wording), said(ENGLISH)
    lost = {f"{table}.{code}" for table, codes in expected().items() for code in codes} - texts.keys()
    if wording.keeping.events is not None:
        lost |= {f"keeping.events.{each.action}" for each in event_classes()} - texts.keys()
    lost |= {name for name, text in texts.items() if not text.strip() and name not in _OF_THE_FIRM}
    lost |= others.keys() - texts.keys()
    return lost | {name for name in others.keys() & texts.keys() if gaps(others[name]) != gaps(texts[name])}


def gaps(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in Formatter().parse(text) if name is not None)


# --- Every sentence in every language ---


def test_there_is_a_package_in_every_language_of_letters() -> None:
    assert set(WORDINGS) == set(Language)
    assert {language: wording.language for language, wording in WORDINGS.items()} == {each: each for each in Language}


@pytest.mark.parametrize("language", Language)
def test_a_language_says_everything(language: Language) -> None:
    assert missing(WORDINGS[language]) == set()


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        ("nothing_held", replace(GERMAN, nothing_held=" ")),
        ("log.purpose", replace(GERMAN, log=replace(GERMAN.log, purpose=""))),
        ("stores.corpus.pages", replace(GERMAN, stores={"corpus.chunks": "Abschnitte"})),
        ("statuses.superseded", replace(GERMAN, statuses={"ready": "in Gebrauch"})),
        (
            "keeping.events.retrieval.question.answered",
            replace(GERMAN, keeping=replace(GERMAN.keeping, events={"audit.log.exported": "Protokoll ausgegeben"})),
        ),
        ("article_15.(f) Complaint.1", replace(GERMAN, article_15={"(a) Purposes": ("a) Zwecke", "Stehen dabei.")})),
        ("opening", replace(GERMAN, opening="Das ist, was {firm} gespeichert hat.")),
    ],
)
def test_a_sentence_that_one_language_lacks_is_named(name: str, lost: PackageWording) -> None:
    assert name in missing(lost)


def test_no_sentence_was_left_in_english() -> None:
    english, german = said(ENGLISH), said(GERMAN)
    same = {name for name in english.keys() & german.keys() if english[name] == german[name] and english[name].strip()}
    assert same == {"recipients.columns.region"}
    labels = {each.action: each.label for each in event_classes()}
    assert GERMAN.keeping.events is not None
    assert [action for action, label in GERMAN.keeping.events.items() if labels.get(action) == label] == []
    assert GERMAN.keeping.events.keys() == labels.keys()


def test_english_is_what_the_codes_themselves_are_called() -> None:
    assert ENGLISH.kinds == {kind.value: str(RetentionClass(kind.value).label) for kind in FUND_HOUSE}
    assert ENGLISH.statuses == {value: label.lower() for value, label in DocumentStatus.choices}
    assert ENGLISH.recipients.roles == dict(Role.choices)


# --- The package ---


@pytest.mark.parametrize("language", Language)
def test_the_page_and_the_json_are_of_one_language(office: Office, found: Found, language: Language) -> None:
    asked_about(office, found.letter)
    request = prepared(office, language=language)
    package, page = taken_out(office, request)
    words = html_module.unescape(page)
    mine = WORDINGS[language]
    (other,) = [wording for each, wording in WORDINGS.items() if each != language]
    assert f'<html lang="{language}">' in words
    assert package["about"]["language"] == language
    in_json = " ".join(texts_of(package))
    foreign = [text for text in sentences(other) - sentences(mine) if text in words or text in in_json]
    assert foreign == []
    for text in (mine.title, mine.law, mine.documents.about, mine.log.purpose, mine.end, mine.searched_heading):
        assert text in words
    for heading, text in mine.article_15.values():
        assert heading in words
        assert text in words
    assert f"{mine.recipients.mail}" in words


@pytest.mark.parametrize("language", Language)
def test_dates_counts_places_and_names_of_things_too(office: Office, found: Found, language: Language) -> None:
    asked_about(office, found.letter)
    request = prepared(office, language=language)
    package, page = taken_out(office, request)
    words, about = html_module.unescape(page), package["about"]
    assert date.fromisoformat(about["received_on"]) == request.received_on
    assert day(request.received_on, language) in words
    assert moment(datetime.fromisoformat(about["until"]), WORDINGS[language]) in words
    of = {each["key"]: each["entries"] for each in package["categories"]}
    (event,) = of["events"]
    (letter,) = [each for each in of["documents"] if each["name"] == "Letters"]
    places = {place["where"] for place in letter["places"]}
    kind = package["kinds_of_events"][0]
    if language is Language.GERMAN:
        assert f"Sie sind an {about['places']} Stellen in 3 Dokumenten oder anderen Texten genannt." in words
        assert event["name"].startswith("Frage beantwortet: Teil „")
        assert event["detail"].startswith("Ereignis vom ")
        assert letter["detail"] == "Früherer Lauf, fund:alpha, Fassung 1, in Gebrauch"
        assert "Seite 1" in places
        assert "Wer Dokumente sehen darf" in words
        assert (kind["what"], "Jahre" in kind["at_least"]) == ("Frage beantwortet", True)
        assert kind["legal_basis"] == "Artikel 6 Absatz 1 Buchstabe c, rechtliche Verpflichtung"
        assert {"no", "yes"}.isdisjoint(cells(page))
        assert "nein" in cells(page)
    else:
        assert f"You are named in {about['places']} places of 3 documents or other texts." in words
        assert event["name"].startswith("Question answered: the ")
        assert event["detail"].startswith("event of ")
        assert letter["detail"] == "Past run, fund:alpha, version 1, ready"
        assert "page 1" in places
        assert (kind["what"], "years" in kind["at_least"]) == ("Question answered", True)


def test_names_of_values_are_english_whatever_the_language(office: Office, found: Found) -> None:
    asked_about(office, found.letter)
    packages = [taken_out(office, prepared(office, language=each))[0] for each in Language]
    assert keys_of(packages[0]) == keys_of(packages[1])


def test_it_is_the_language_of_the_letter(office: Office) -> None:
    request = asked(office, language=Language.GERMAN)
    inventoried(office, request)
    confirm_all(office, request)
    made(office, request)
    with as_(office.dora):
        files = files_of(package_take_out(request.id))
        access_answer(request.id, delivery=Delivery.POST)
        letter = letter_text(request.letters.select_related("request").get(kind=LetterKind.DONE))
    assert letter is not None
    assert "außer diesem Antrag" in letter.body
    assert GERMAN.nothing_held in html_module.unescape(files["what-is-held.html"])
    assert files["README.txt"].startswith("Was Acme in Glassbox über Sie gespeichert hat")


def test_what_the_firm_says_of_its_documents_is_proposed_in_the_language_of_the_request(
    office: Office, found: Found
) -> None:
    request = confirmed(office, language=Language.GERMAN)
    quote_all(office, request)
    page = Visitor("dora").open("access_package", request.id)
    assert GERMAN.told.purposes in page.text
    assert ENGLISH.told.purposes not in page.text
    assert "The package is in German, like its letters" in page.text


def test_a_ground_that_the_firm_wrote_itself_stands_as_it_wrote_it(office: Office) -> None:
    with open_scope(tenant=office.firm.id, reason="a test"):
        german = told_by_rules(Language.GERMAN)
        assert german.legal_basis == "Artikel 6 Absatz 1 Buchstabe f, berechtigte Interessen"
        assert german.retention.startswith("Mindestens ")
        assert told_by_rules(Language.ENGLISH).legal_basis == "6(1)(f) legitimate interests"
    with acting_as("superuser"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("UPDATE audit_retentionrule SET legal_basis = 'Section 25a of the Banking Act'")
    with open_scope(tenant=office.firm.id, reason="a test"):
        assert RetentionRule.objects.exists()
        assert told_by_rules(Language.GERMAN).legal_basis == "Section 25a of the Banking Act"


def test_an_event_that_no_release_knows_any_more_is_named_by_its_action(office: Office) -> None:
    with open_scope(tenant=office.firm.id, reason="a test"):
        (kind,) = kinds_of_events(["audit.long.gone"], GERMAN)
    assert (kind["what"], kind["in_force"]) == ("audit.long.gone", [])


# --- Words of a language ---


def test_periods_and_counts_follow_their_numbers() -> None:
    german, english = GERMAN.keeping, ENGLISH.keeping
    months = (1, 12, 18, 24)
    assert [period(each, german.periods) for each in months] == ["1 Monat", "1 Jahr", "18 Monate", "2 Jahre"]
    assert [period(each, german.after) for each in months] == ["1 Monat", "1 Jahr", "18 Monaten", "2 Jahren"]
    assert [period(each, english.periods) for each in months] == ["1 month", "1 year", "18 months", "2 years"]
    assert [counted(each, GERMAN.places_counted) for each in (1, 2)] == ["1 Stelle", "2 Stellen"]


def test_a_moment_is_written_as_the_letters_write_a_day() -> None:
    at = datetime.combine(date(2026, 3, 1), time(9, 5), tzinfo=UTC)
    assert moment(at, wording_of("de")) == "1. März 2026, 09:05 Uhr UTC"
    assert moment(at, wording_of("en")) == "1 March 2026, 09:05 UTC"


def sentences(wording: PackageWording) -> set[str]:
    """Its texts as they would stand on a page, without those that have gaps or are short."""
    texts = {text for text in said(wording).values() if not gaps(text)}
    texts |= {part for text in said(wording).values() for part in pieces(text)}
    if wording.keeping.events is None:
        texts |= {each.label for each in event_classes()}
    return {text for text in texts if len(text) >= _SHORT}


def pieces(text: str) -> list[str]:
    """What stands between the gaps."""
    return [literal.strip() for literal, *_ in Formatter().parse(text)]


def cells(page: str) -> set[str]:
    return {cell.text_content() for cell in lxml.html.fromstring(page).xpath("//td")}


def texts_of(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    each = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in each for text in texts_of(part)]


def keys_of(value: Any) -> Any:
    """The names in a JSON value, and of a list those of all its members together."""
    if isinstance(value, dict):
        return {name: keys_of(each) for name, each in value.items()}
    if isinstance(value, list):
        return sorted({repr(keys_of(each)) for each in value})
    return None


def test_a_chapter_of_documents_alone_leaves_the_rest_to_the_firm() -> None:
    for wording in WORDINGS.values():
        assert [each for each in (wording.documents, wording.log, wording.others) if not each.purpose] == [
            Chapter(title=wording.documents.title, about=wording.documents.about)
        ]
