"""Check the demo's claims one by one. If one does not hold, the demo ends with exit status 1."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from apps.demo.tenants import DEMO_TENANTS, DemoTenant
from apps.demo.tour.asking import AskedQuestion
from apps.demo.tour.client import Json
from apps.intents.contracts import UNRECOGNISED
from apps.intents.fund_house import FUND_HOUSE
from apps.tenants.context import open_scope
from apps.tenants.errors import ResidencyError
from apps.tenants.ids import TenantId
from apps.tenants.selectors.tenants import tenant_by_slug
from apps.tenants.services.tenants import tenant_configure


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The result of checking one claim. detail: what was found instead, if the claim does not hold."""

    name: str
    ok: bool
    detail: str = ""


def document_checks(firm: DemoTenant, documents: list[Json]) -> Iterator[Check]:
    kinds = {document["kind"] for document in documents}
    missing = sorted({kind.value for kind in FUND_HOUSE} - kinds)
    yield _check(f"{firm.slug}: documents of all ten kinds are searchable", not missing, ", ".join(missing))


def residency_checks() -> Iterator[Check]:
    """Check that a tenant with strict residency is refused a provider of another region, and that nothing changes."""
    for firm in DEMO_TENANTS:
        if not firm.residency_strict:
            continue
        tenant = tenant_by_slug(firm.slug)
        tenant.embedding_profile = "openai"
        refused = False
        try:
            with open_scope(tenant=TenantId(tenant.id), reason="manage.py demo"):
                tenant_configure(tenant)
        except ResidencyError:
            refused = True
        kept = tenant_by_slug(firm.slug).embedding_profile != "openai"
        yield _check(f"{firm.slug}: a provider outside its region is refused", refused and kept)


def question_checks(asked: AskedQuestion, file_ids: Mapping[str, str]) -> Iterator[Check]:
    """Check all claims about one question.

    Args: file_ids: the firm's document ids by file name.
    """
    question, body = asked.question, asked.body
    name = f"{asked.firm.slug}/{question.name}"
    wanted_intent = "unrecognised" if question.intent == UNRECOGNISED else question.intent
    yield _check(f"{name}: intent is {wanted_intent}", body["intent"]["name"] == wanted_intent, body["intent"]["name"])
    wanted_kinds = {kind.value for kind in question.kinds}
    yield _check(f"{name}: only the permitted kinds", set(body["kinds"]["permitted"]) == wanted_kinds)
    cited_kinds = {citation["document"]["kind"] for citation in body["citations"]}
    yield _check(f"{name}: nothing withheld is cited", cited_kinds <= wanted_kinds, ", ".join(cited_kinds))
    if question.document:
        quotes = [
            citation["quote"]
            for citation in body["citations"]
            if citation["document"]["id"] == file_ids[question.document]
        ]
        yield _check(f"{name}: cites {question.document}", bool(quotes), asked.told)
        if question.quote:
            yield _check(
                f"{name}: quotes {question.quote}", any(question.quote in quote for quote in quotes), asked.told
            )
    if question.unanswered:
        yield _check(f"{name}: is not answered", body["outcome"] != "answered", asked.told)
    else:
        yield _check(f"{name}: is answered, or the closest passages are quoted", not body["refused"], asked.told)
    if question.forbidden:
        found = [words for words in question.forbidden if words in asked.told]
        yield _check(f"{name}: says nothing that it must not", not found, ", ".join(found))
    yield _check(f"{name}: nothing of the other firm", not (leaks := _leaks(asked)), ", ".join(leaks))
    flagged = bool(body["degraded"])
    said = "is flagged as degraded" if question.provider_down else "is not degraded"
    yield _check(f"{name}: {said}", flagged == question.provider_down, json.dumps(body["degraded"]))
    yield from _event_checks(name, asked)


def example_checks(firm: DemoTenant, asked: Mapping[str, Json]) -> Iterator[Check]:
    """Check the questions that the Ask page offers. Args: asked: the API's whole response to each, by its text."""
    yield _check(f"{firm.slug}: the Ask page offers questions to begin with", bool(asked))
    for text, body in asked.items():
        name = f"{firm.slug}: offered “{text}”"
        yield _check(f"{name}: belongs to an intent", body["intent"]["name"] != "unrecognised", body["intent"]["name"])
        yield _check(f"{name}: is answered", body["outcome"] == "answered", body["answer"])


def _event_checks(name: str, asked: AskedQuestion) -> Iterator[Check]:
    event = asked.event
    core = event["payload"]["core"]
    yield _check(
        f"{name}: the log says what was reached",
        core["policy_version"] == asked.body["policy_version"]
        and set(core["permitted_kinds"]) == set(asked.body["kinds"]["permitted"]),
    )
    yield _check(f"{name}: the log does not hold the question", asked.question.text not in json.dumps(event))


def _leaks(asked: AskedQuestion) -> list[str]:
    other = next(firm for firm in DEMO_TENANTS if firm is not asked.firm)
    # Words that the question itself contains are no leak.
    return [word for word in other.canaries if word not in asked.question.text and word in asked.shown]


def _check(name: str, ok: bool, detail: str = "") -> Check:
    return Check(name=name, ok=ok, detail="" if ok else detail)
