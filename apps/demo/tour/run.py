"""Run the tour: ingest the files through the worker, ask the questions over HTTP, and check every claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings

from apps.demo.catalogue import demo_documents
from apps.demo.questions import demo_questions
from apps.demo.tenants import DEMO_TENANTS, DemoTenant
from apps.demo.tour.access import PEOPLE, DemoAccess
from apps.demo.tour.asking import AskedQuestion, ask_question
from apps.demo.tour.checks import Check, document_checks, example_checks, question_checks, residency_checks
from apps.demo.tour.client import DemoClient, Json
from apps.demo.tour.report import Report
from apps.demo.tour.visitor import DemoVisitor
from apps.quality.models import EvaluationQuery
from apps.quality.services.evaluation import evaluation_query_add
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from apps.tenants.selectors.tenants import tenant_id_of
from config.processes.platform import ToFiles, start_web

# Names a model that does not exist. To the process that needs it, this looks like a provider that is down.
_PROVIDER_DOWN = {"GLASSBOX_LOCAL_EMBEDDING_MODEL": "/nowhere/no-such-model"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TourResult:
    """The result of a tour. documents: as the API shows them, by tenant."""

    documents: dict[str, list[Json]]
    asked: tuple[AskedQuestion, ...]
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        return all(check.ok for check in self.checks)

    def as_json(self, *, elapsed_s: float) -> dict[str, Any]:
        documents = [document for held in self.documents.values() for document in held]
        return {
            "tenants": [firm.slug for firm in DEMO_TENANTS],
            "documents": len(documents),
            "chunks": sum(document["chunk_count"] for document in documents),
            "questions": [asked.as_json() for asked in self.asked],
            "checks": [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in self.checks],
            "elapsed_s": round(elapsed_s, 1),
        }


def run_tour(*, base_url: str, access: DemoAccess, report: Report) -> TourResult:
    """Run the whole tour against a running platform. Raises: DemoApiError, DemoIngestError, ProcessError."""
    documents = {firm.slug: _ingest(firm, base_url, access, report) for firm in DEMO_TENANTS}
    checks = [check for firm in DEMO_TENANTS for check in document_checks(firm, documents[firm.slug])]
    for firm in DEMO_TENANTS:
        _keep_evaluation_questions(firm, documents[firm.slug])
    asked = list(_ask_all(base_url, access, report, provider_down=False))
    with report.step("Asking what the Ask page offers"):
        for firm in DEMO_TENANTS:
            checks += _check_examples(firm, base_url, access)
    with report.step("Starting a second web process whose embedding provider is down"), ExitStack() as stack:
        down_url = stack.enter_context(_web_without_provider())
        asked += _ask_all(down_url, access, report, provider_down=True)
    for each in asked:
        ids = {document["filename"]: document["id"] for document in documents[each.firm.slug]}
        checks += question_checks(each, ids)
    checks += residency_checks()
    return TourResult(documents=documents, asked=tuple(asked), checks=tuple(checks))


def _ingest(firm: DemoTenant, base_url: str, access: DemoAccess, report: Report) -> list[Json]:
    files = demo_documents(firm)
    with (
        report.progress(f"{firm.name}: reading and embedding", total=len(files)) as advance,
        DemoClient(base_url, access.client_keys[firm.slug]) as client,
    ):
        return client.wait_until_ready([client.upload(file) for file in files], on_change=advance)


def _ask_all(base_url: str, access: DemoAccess, report: Report, *, provider_down: bool) -> Iterator[AskedQuestion]:
    for firm in DEMO_TENANTS:
        questions = [each for each in demo_questions(firm) if each.provider_down is provider_down]
        words = "without an embedding provider" if provider_down else "over HTTP"
        with (
            report.progress(f"{firm.name}: asking {words}", total=len(questions)) as advance,
            DemoClient(base_url, access.client_keys[firm.slug]) as client,
            DemoClient(base_url, access.auditor_keys[firm.slug]) as auditor,
        ):
            for number, question in enumerate(questions, start=1):
                yield ask_question(firm, question, client=client, auditor=auditor)
                advance(number)


def _check_examples(firm: DemoTenant, base_url: str, access: DemoAccess) -> list[Check]:
    """Ask each question that the Ask page offers to an analyst of the firm."""
    analyst = next(person for person in PEOPLE if Role.ANALYST in person.roles)
    with DemoVisitor(base_url, username=analyst.username, password=access.password_of(analyst)) as visitor:
        visitor.work_in(firm)
        offered = visitor.examples()
    with DemoClient(base_url, access.client_keys[firm.slug]) as client:
        return list(example_checks(firm, {text: client.ask(text) for text in offered}))


@contextmanager
def _web_without_provider() -> Iterator[str]:
    web = start_web(
        port=8100,
        emit=ToFiles(settings.GLASSBOX_HOME / "log"),
        environment=_PROVIDER_DOWN,
    )
    try:
        yield web.base_url
    finally:
        web.supervisor.stop()


def _keep_evaluation_questions(firm: DemoTenant, documents: Sequence[Json]) -> None:
    """Add the questions that have a known document to the firm's evaluation questions, asked within the whole firm.

    Args:    documents: the firm's documents, as the API shows them.
    """
    ids = {document["filename"]: UUID(document["id"]) for document in documents}
    with open_scope(tenant=tenant_id_of(firm.slug), reason="manage.py demo"):
        held = set(EvaluationQuery.objects.values_list("text", flat=True))
        missing = [each for each in demo_questions(firm) if each.document in ids and each.text not in held]
        for question in missing:
            evaluation_query_add(
                text=question.text,
                scope_key=firm.root_scope_key,
                document_id=ids[question.document],
                pages=question.pages,
            )
