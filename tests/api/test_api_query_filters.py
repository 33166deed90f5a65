"""Filters that come with a question: they narrow, never widen, tell nothing of what is out of reach, and are kept."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import product
from typing import Any, Final, NamedTuple
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from apps.audit.models import Event
from apps.audit.selectors import payloads_of
from apps.corpus.models import Chunk, Document
from apps.retrieval.trace import Stage
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.api.conftest import KeyMaker, ready_document
from tests.factories import Firm

pytestmark = pytest.mark.django_db

QUERY, SEARCH = "/api/v1/query/", "/api/v1/search/"
QUESTION = "What was the maximum drawdown?"
TEXT = "# {title}\n\n## Performance\n\nThe maximum drawdown was {percent} %. It recovered within {percent} weeks.\n"


class Held(NamedTuple):
    """A document of the small corpus. year, quarter: None where it states none."""

    scope: str
    kind: str
    company: str
    year: int | None
    quarter: int | None
    id: UUID = UUID(int=0)


_CORPUS: Final = (
    Held("fund:alpha", "run", "Alpha Fund", 2023, 4),
    Held("fund:alpha", "run", "Alpha Fund", 2024, 3),
    Held("fund:alpha", "run", "Alpha Fund", 2024, 4),
    Held("fund:alpha", "run", "Alpha Fund", 2024, None),
    Held("fund:alpha", "fund_profile", "Alpha Fund", None, None),
    Held("fund:beta", "run", "Beta Fund", 2024, 4),
    Held("fund:beta", "run", "", 2024, 4),
    Held("fund:beta", "fund_profile", "Beta Fund", 2023, None),
    # Withheld from a question of performance.
    Held("fund:alpha", "methodology", "Alpha Fund", 2024, 4),
    Held("firm:acme", "compliance_profile", "Acme", 2024, None),
)
PERMITTED: Final = ("fund_profile", "run", "dataset_summary")


@pytest.fixture(scope="module")
def corpus(acme: Firm) -> tuple[Held, ...]:
    return tuple(each._replace(id=_stored(acme, number, each)) for number, each in enumerate(_CORPUS, start=1))


@pytest.fixture(scope="module")
def foreign(bolt: Firm) -> UUID:
    return _stored(bolt, 50, Held("fund:alpha", "run", "Alpha Fund", 2024, 4))


def _stored(firm: Firm, number: int, each: Held) -> UUID:
    about: dict[str, Any] = {"company": each.company, "fiscal_year": each.year, "fiscal_quarter": each.quarter}
    title = f"Report {number}"
    return UUID(
        str(
            ready_document(
                firm,
                TEXT.format(title=title, percent=number).encode(),
                filename=f"report-{number}.md",
                scope=each.scope,
                kind=each.kind,
                title=title,
                document_type="report",
                **{name: value for name, value in about.items() if value},
            ).id
        )
    )


def search(api: Api, **body: Any) -> dict[str, Any]:
    response = api.post(SEARCH, {"question": QUESTION, **body})
    assert response.status_code == 200, response.content
    found: dict[str, Any] = response.json()
    return found


def documents(found: Mapping[str, Any]) -> set[UUID]:
    """Those of everything that the trace names: what was ranked, what was kept and what was added around it."""
    named = {UUID(each["document"]["id"]) for each in found["passages"]}
    for stage in found["trace"]["stages"]:
        output = stage["output"] or {}
        for each in (*output.get("hits", ()), *output.get("candidates", ())):
            named.add(UUID(each["document_id"]))
    return named


def meets(each: Held, filters: Mapping[str, Any]) -> bool:
    """The rule as it is promised, in a second way."""
    companies = [name.lower() for name in filters.get("companies", ())]
    periods = [(period["fiscal_year"], period.get("fiscal_quarter")) for period in filters.get("periods", ())]
    return (
        ("documents" not in filters or str(each.id) in filters["documents"])
        and ("companies" not in filters or each.company.lower() in companies)
        and ("kinds" not in filters or each.kind in filters["kinds"])
        and ("periods" not in filters or any(each.year == y and q in (None, each.quarter) for y, q in periods))
    )


# --- They narrow ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("scopes", [(), ("fund:alpha",), ("fund:beta",)])
def test_what_is_found_is_what_meets_the_filters_of_what_is_found_without(
    analyst: Api, corpus: tuple[Held, ...], foreign: UUID, scopes: tuple[str, ...]
) -> None:
    """For combinations at random: exactly the documents that the question reaches without them and that meet them."""
    chosen = random.Random(f"filters {scopes}")
    ids = [str(each.id) for each in corpus] + [str(foreign), str(uuid4())]
    choices: dict[str, Any] = {
        "documents": ids,
        "companies": ["Alpha Fund", "alpha fund", "BETA FUND", "Acme", "Nobody Inc."],
        "periods": [
            {"fiscal_year": 2023},
            {"fiscal_year": 2024},
            {"fiscal_year": 2024, "fiscal_quarter": 4},
            {"fiscal_year": 2023, "fiscal_quarter": 4},
            {"fiscal_year": 1999, "fiscal_quarter": None},
        ],
        "kinds": ["run", "fund_profile", "methodology", "compliance_profile"],
    }
    without = documents(search(analyst, scopes=list(scopes)))
    reachable = {each.id for each in corpus if each.kind in PERMITTED and (not scopes or each.scope in scopes)}
    assert without == reachable
    found_something = 0
    for _ in range(25):
        filters = {
            name: chosen.sample(values, chosen.randint(1, min(4, len(values))))
            for name, values in choices.items()
            if chosen.random() < 0.45
        }
        found = search(analyst, scopes=list(scopes), **filters)
        wanted = {each.id for each in corpus if each.id in without and meets(each, filters)}
        assert documents(found) == wanted, filters
        assert found["refused"] is not bool(wanted), filters
        found_something += bool(wanted)
    assert found_something > 3


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ({"companies": ["Alpha Fund"]}, {1, 2, 3, 4, 5}),
        ({"companies": ["aLPHA fUND", "Beta Fund"]}, {1, 2, 3, 4, 5, 6, 8}),
        ({"periods": [{"fiscal_year": 2024}]}, {2, 3, 4, 6, 7}),
        ({"periods": [{"fiscal_year": 2024, "fiscal_quarter": 4}]}, {3, 6, 7}),
        ({"kinds": ["fund_profile"]}, {5, 8}),
        ({"kinds": ["fund_profile", "methodology"], "companies": ["Alpha Fund"]}, {5}),
        ({"periods": [{"fiscal_year": 2023}], "companies": ["Beta Fund"]}, {8}),
    ],
)
def test_each_sort_of_filter(analyst: Api, corpus: tuple[Held, ...], filters: dict[str, Any], wanted: set[int]) -> None:
    assert documents(search(analyst, **filters)) == {corpus[number - 1].id for number in wanted}


def test_an_answer_is_of_the_filtered_document_alone(analyst: Api, corpus: tuple[Held, ...]) -> None:
    for number in (1, 3, 6):
        answer = analyst.post(QUERY, {"question": QUESTION, "documents": [str(corpus[number - 1].id)]}).json()
        assert f"{number} %" in answer["answer"]
        assert {each["document"]["id"] for each in answer["citations"]} == {str(corpus[number - 1].id)}


@pytest.mark.slow
def test_versions_of_an_instant(acme: Firm, analyst: Api) -> None:
    old = ready_document(acme, b"# Gamma\n\nThe maximum drawdown of Gamma was 3 %.\n", company="Gamma Fund")
    between = timezone.now()
    new = ready_document(
        acme, b"# Gamma\n\nThe maximum drawdown of Gamma was 4 %.\n", company="Gamma Fund", replaces=old.id
    )
    gamma = {"companies": ["gamma fund"]}
    assert documents(search(analyst, **gamma)) == {new.id}
    with open_scope(tenant=acme.id, reason="a test"):
        # In a test all of it is one transaction, and a transaction has one time.
        Document.objects.filter(id=old.id).update(valid_from=between - timedelta(hours=2), valid_to=between)
        Document.objects.filter(id=new.id).update(valid_from=between)
    then = (between - timedelta(hours=1)).isoformat()
    assert documents(search(analyst, **gamma, as_of=then)) == {old.id}
    assert documents(search(analyst, documents=[str(new.id)], as_of=then)) == set()
    assert documents(search(analyst, **gamma, as_of=(between - timedelta(days=9)).isoformat())) == set()
    answer = analyst.post(QUERY, {"question": QUESTION, **gamma, "as_of": then}).json()
    assert "3 %" in answer["answer"]
    assert [each["certainty"] for each in answer["filters"] if each["field"] == "as_of"] == ["given"]


# --- With what the text implies ---------------------------------------------------------------------------------------


def test_a_given_company_holds_in_the_place_of_one_that_is_named(analyst: Api, corpus: tuple[Held, ...]) -> None:
    named = "What was the maximum drawdown of the Alpha Fund?"
    found = search(analyst, question=named, companies=["Alpha Fund", "Beta Fund"])
    assert documents(found) == {corpus[number - 1].id for number in (1, 2, 3, 4, 5, 6, 8)}
    told = {(each["field"], each["certainty"]): each for each in found["filters"]}
    assert told["company", "given"]["values"] == ["Alpha Fund", "Beta Fund"]
    assert told["company", "relaxed"]["values"] == ["Alpha Fund"]
    assert any("applies instead" in notice for notice in found["notices"])


def test_a_company_that_is_named_narrows_within_other_filters(analyst: Api, corpus: tuple[Held, ...]) -> None:
    named = "What was the maximum drawdown of the Beta Fund?"
    found = search(analyst, question=named, periods=[{"fiscal_year": 2024, "fiscal_quarter": 4}])
    # One that states no company passes what was read from the text, as ever.
    assert documents(found) == {corpus[5].id, corpus[6].id}


def test_a_given_filter_is_never_relaxed(analyst: Api, corpus: tuple[Held, ...]) -> None:
    """Where the text implies what the filters leave nothing of, the text gives way."""
    named = "What was the maximum drawdown in Q4 2024?"
    found = search(analyst, question=named, periods=[{"fiscal_year": 2023}])
    assert documents(found) == {corpus[0].id, corpus[7].id}
    answer = analyst.post(QUERY, {"question": named, "periods": [{"fiscal_year": 2023}]}).json()
    assert answer["outcome"] == "closest_passages"
    assert "Q4 2024" in answer["relevance"]["missing"]
    assert {each["document"]["id"] for each in answer["citations"]} <= {str(corpus[0].id), str(corpus[7].id)}


def test_an_answer_is_of_a_document_of_the_given_period(analyst: Api, corpus: tuple[Held, ...]) -> None:
    answer = analyst.post(
        QUERY,
        {
            "question": QUESTION,
            "companies": ["Alpha Fund"],
            "periods": [{"fiscal_year": 2024, "fiscal_quarter": 3}],
            "trace": True,
        },
    ).json()
    assert {each["document"]["id"] for each in answer["citations"]} == {str(corpus[1].id)}
    assert not any("newest" in notice for notice in answer["notices"])
    (read,) = [each for each in answer["trace"]["stages"] if each["stage"] == Stage.ANALYSE]
    assert [(each["field"], each["values"]) for each in read["output"]["given"]] == [
        ("company", ["Alpha Fund"]),
        ("period", ["Q3 2024"]),
    ]


# --- What they find nothing of ----------------------------------------------------------------------------------------


def test_a_filter_that_finds_nothing_says_so(analyst: Api, corpus: tuple[Held, ...]) -> None:
    body = {"question": QUESTION, "companies": ["Nobody Inc."]}
    for found in (analyst.post(QUERY, body).json(), search(analyst, companies=["Nobody Inc."])):
        assert found["refusal"]["reason"] == "nothing_within_filters"
        assert "of the company Nobody Inc." in found["refusal"]["message"]


@pytest.mark.parametrize("address", [QUERY, SEARCH])
def test_a_withheld_kind_is_never_reached_and_said_not_to_meet_the_grant(
    analyst: Api, corpus: tuple[Held, ...], address: str
) -> None:
    found = analyst.post(address, {"question": QUESTION, "kinds": ["methodology"], "trace": True}).json()
    assert found["refusal"]["reason"] == "nothing_within_filters"
    assert "withholds here: the filter and the grant have nothing in common." in found["refusal"]["message"]
    assert "methodology" in found["kinds"]["withheld"]
    partly = analyst.post(address, {"question": QUESTION, "kinds": ["methodology", "run"], "trace": True}).json()
    assert not partly["refused"]
    assert any("methodology, which policy version 1 withholds here" in notice for notice in partly["notices"])
    (gate,) = [each for each in partly["trace"]["stages"] if each["stage"] == Stage.GATE]
    assert "The request asks only for methodology, run." in gate["notes"]


def _blank(found: dict[str, Any], *names: str) -> str:
    """All of an answer but what is of the moment, with the same word for each of the names."""

    of_the_moment = ("elapsed_ms", "audit_event_id", "calls", "used_seconds")

    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: without(v) for k, v in value.items() if k not in of_the_moment}
        return [without(each) for each in value] if isinstance(value, list) else value

    text = repr(without(found))
    for name in names:
        text = text.replace(name, "<name>")
    return text


@pytest.mark.parametrize("address", [QUERY, SEARCH])
def test_what_is_out_of_reach_is_told_from_nothing_by_no_filter(
    key: KeyMaker, corpus: tuple[Held, ...], foreign: UUID, address: str
) -> None:
    """Another tenant's document, another scope's, one of a withheld kind and none at all: one answer, to the letter."""
    alpha = key(Role.ANALYST, "fund:alpha")
    held_by_none = str(uuid4())
    ids = {"none": held_by_none, "tenant": str(foreign), "scope": str(corpus[5].id), "kind": str(corpus[8].id)}
    answers = {
        name: _blank(alpha.post(address, {"question": QUESTION, "documents": [id], "trace": True}).json(), id)
        for name, id in ids.items()
    }
    assert set(answers.values()) == {answers["none"]}
    names = ("Beta Fund", "Acme", "Nobody Inc.")
    told = {
        _blank(alpha.post(address, {"question": QUESTION, "companies": [name], "trace": True}).json(), name)
        for name in names
    }
    assert len(told) == 1


def test_a_filter_on_what_is_out_of_reach_changes_nothing_beside_what_is_in_reach(
    key: KeyMaker, corpus: tuple[Held, ...], foreign: UUID
) -> None:
    alpha = key(Role.ANALYST, "fund:alpha")
    own = str(corpus[0].id)
    found = {
        _blank(search(alpha, documents=[own, other]), other)
        for other in (str(uuid4()), str(foreign), str(corpus[5].id), str(corpus[8].id))
    }
    assert len(found) == 1


def test_filters_reach_no_further_than_the_key(key: KeyMaker, corpus: tuple[Held, ...], foreign: UUID) -> None:
    beta = key(Role.ANALYST, "fund:beta")
    reach = documents(search(beta))
    everything = [str(each.id) for each in corpus] + [str(foreign)]
    assert documents(search(beta, documents=everything)) == reach == {corpus[5].id, corpus[6].id, corpus[7].id}
    kinds = sorted({each.kind for each in corpus})
    for filters in ({"companies": ["Alpha Fund", "Beta Fund", "Acme"]}, {"kinds": kinds}):
        assert documents(search(beta, **filters)) <= reach


# --- What can't be one ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", [QUERY, SEARCH])
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"documents": []}, "documents"),
        ({"documents": ["alpha"]}, "documents.0"),
        ({"documents": [str(UUID(int=1))] * 101}, "documents"),
        ({"companies": []}, "companies"),
        ({"companies": [""]}, "companies.0"),
        ({"companies": "Alpha Fund"}, "companies"),
        ({"companies": ["x" * 201]}, "companies.0"),
        ({"periods": []}, "periods"),
        ({"periods": [{}]}, "periods.0.fiscal_year"),
        ({"periods": [2024]}, "periods.0"),
        ({"periods": [{"fiscal_year": 2024, "fiscal_quarter": 5}]}, "periods.0.fiscal_quarter"),
        ({"periods": [{"fiscal_year": 1}]}, "periods.0.fiscal_year"),
        ({"periods": [{"fiscal_year": 2024, "quarter": 4}]}, "periods.0.quarter"),
        ({"kinds": []}, "kinds"),
        ({"kinds": ["A novel"]}, "kinds.0"),
        ({"as_of": "yesterday"}, "as_of"),
        ({"as_of": None}, "as_of"),
        ({"as_of": "2199-01-01T00:00:00Z"}, "as_of"),
        ({"filters": {}}, "filters"),
    ],
)
def test_a_filter_that_can_t_be_one_is_refused_by_name(
    analyst: Api, address: str, body: dict[str, Any], field: str
) -> None:
    response = analyst.post(address, {"question": QUESTION, **body})
    assert response.status_code == 400
    assert [each for each in response.json()["errors"] if each.startswith(field)], response.content


# --- What is kept of them ---------------------------------------------------------------------------------------------


def recorded(acme: Firm, found: Mapping[str, Any]) -> dict[str, Any]:
    with open_scope(tenant=acme.id, reason="a test"):
        event = Event.objects.get(id=found["audit_event_id"])
        return {group: dict(values) for group, values in payloads_of([event])[event.id].items()}


@pytest.mark.parametrize("address", [QUERY, SEARCH])
def test_they_are_recorded(acme: Firm, analyst: Api, corpus: tuple[Held, ...], address: str) -> None:
    """A company by the spelling that is held; one that is not held is a client's word, and not kept."""
    at = timezone.now().isoformat()
    filters = {
        "documents": [str(corpus[2].id)],
        "companies": ["alpha fund", "Erika Mustermann"],
        "periods": [{"fiscal_year": 2024, "fiscal_quarter": 4}, {"fiscal_year": 2023}],
        "kinds": ["run", "methodology"],
        "as_of": at,
    }
    told = recorded(acme, analyst.post(address, {"question": QUESTION, **filters}).json())
    given = told["question"]["given_filters"]
    assert datetime.fromisoformat(given.pop("as_of")[0]) == datetime.fromisoformat(at)
    assert given == {
        "document": [str(corpus[2].id)],
        "company": ["Alpha Fund"],
        "period": ["2024-Q4", "2023"],
        "kind": ["run", "methodology"],
    }
    assert told["core"]["filters"][:5] == [
        f"{field}:given" for field in ("document", "company", "period", "kind", "as_of")
    ]
    assert "Erika" not in repr(told)
    assert "given_filters" not in recorded(acme, analyst.post(address, {"question": QUESTION}).json())["question"]


def test_no_filter_widens_what_stands_around_a_passage(acme: Firm, analyst: Api, corpus: tuple[Held, ...]) -> None:
    """What is added around a passage, and what is read in statements, is of the filtered documents as well."""
    found = search(analyst, documents=[str(corpus[0].id)])
    with open_scope(tenant=acme.id, reason="a test"):
        own = {str(id) for id in Chunk.objects.filter(document_id=corpus[0].id).values_list("id", flat=True)}
    assert {each["chunk_id"] for each in found["passages"]} <= own
    assert list(product({each["document"]["id"] for each in found["passages"]})) == [(str(corpus[0].id),)]
