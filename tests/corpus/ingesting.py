"""What the tests of ingest share: a small corpus of texts, a provider without a model, and short ways to the rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from apps.corpus.jobs import RunOutcome, job_run
from apps.corpus.models import Chunk, Document, IngestJob, Page, Posting
from apps.corpus.models.embedding import EMBEDDING_MODELS
from apps.corpus.services.ingest.document import IngestResult, document_ingest
from apps.corpus.services.ingest.lease import RunPolicy
from apps.corpus.services.ingest.metadata import DocumentMetadata
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.principals import Principal
from tests.factories import Firm
from tests.model_server import ModelServer

PATIENT = RunPolicy(lease_seconds=60, batch_chunks=4, max_attempts=3, backoff_base_seconds=1)

REPORT = b"""# Alpha Fund, fourth quarter

## Performance

The maximum drawdown of the Alpha Fund in the fourth quarter was 12.5 %. It recovered within five weeks.

## Fees

Management fees are charged quarterly and amount to 0.75 % a year of the net asset value.
"""

FIGURES = b"""
| In EUR million | 2024 | 2023 |
| --- | --- | --- |
| Revenue | 120 | 110 |
"""
"""A table whose figures become facts."""

NAMES = b"""
Northgate Custody GmbH is a wholly owned subsidiary of Northgate Holding AG.
"""
"""A sentence whose names become entities and a relation."""


def remote_profile(server: ModelServer, **changes: Any) -> dict[str, Any]:
    """An OpenAI profile that is answered by the test server."""
    entry: dict[str, Any] = {
        "backend": "openai",
        "model": "text-embedding-3-small",
        "dimension": 1536,
        "region": "eu",
        "base_url": server.base_url,
        # The server is in this process and answers at once, unless the machine is busy with other tests.
        "timeout_seconds": 30,
    }
    return {**entry, **changes}


def short_profile(server: ModelServer, **changes: Any) -> dict[str, Any]:
    """The same with vectors of 384 numbers, for tests that are not about vectors.

    The first question and the first submission of a firm have every golden example embedded and kept: at 1,536 numbers
    each that is half of such a test.
    """
    return remote_profile(server, **{"dimension": 384, "request_dimensions": True, **changes})


def long_report(sections: int = 30) -> bytes:
    """Markdown that gives about one passage a section."""
    filler = "The committee discussed liquidity, counterparties and the hedging of currencies at length. " * 12
    return "\n\n".join(f"## Section {number}\n\n{filler}" for number in range(1, sections + 1)).encode()


def ingest(
    firm: Firm,
    content: bytes = REPORT,
    *,
    filename: str = "report.md",
    scope: str = "fund:alpha",
    kind: str = "run",
    principal: Principal | None = None,
    **more: Any,
) -> IngestResult:
    metadata = DocumentMetadata(**{name: more.pop(name) for name in list(more) if name in _METADATA})
    with open_scope(tenant=firm.id, principal=principal, reason="a test"):
        return document_ingest(
            content=content,
            filename=filename,
            scope_id=ScopeId(firm.scopes[scope].id),
            kind=kind,
            metadata=metadata,
            **more,
        )


_METADATA = frozenset(DocumentMetadata.__dataclass_fields__)


def run(firm: Firm, job: IngestJob, policy: RunPolicy = PATIENT) -> RunOutcome:
    return job_run(job_id=job.id, tenant_id=firm.id, policy=policy)


def document(firm: Firm, document_id: UUID) -> Document:
    with open_scope(tenant=firm.id, reason="a test"):
        found: Document = Document.objects.get(id=document_id)
        return found


def job(firm: Firm, job_id: UUID) -> IngestJob:
    with open_scope(tenant=firm.id, reason="a test"):
        found: IngestJob = IngestJob.objects.get(id=job_id)
        return found


def change_job(firm: Firm, job_id: UUID, **values: Any) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        IngestJob.objects.filter(id=job_id).update(**values)


def chunks(firm: Firm, document_id: UUID, *, parents: bool = False) -> list[Chunk]:
    with open_scope(tenant=firm.id, reason="a test"):
        return list(Chunk.objects.filter(document_id=document_id, is_parent=parents).order_by("number"))


def pages(firm: Firm, document_id: UUID) -> list[Page]:
    with open_scope(tenant=firm.id, reason="a test"):
        return list(Page.objects.filter(document_id=document_id).order_by("number"))


def postings(firm: Firm, document_id: UUID) -> list[Posting]:
    with open_scope(tenant=firm.id, reason="a test"):
        return list(Posting.objects.filter(document_id=document_id).order_by("term"))


def vectors(firm: Firm, document_id: UUID, dimension: int = 1536) -> list[Any]:
    with open_scope(tenant=firm.id, reason="a test"):
        return list(EMBEDDING_MODELS[dimension].objects.filter(document_id=document_id))


def actions(firm: Firm, actions_like: Iterable[str]) -> list[str]:
    """The recorded actions of these prefixes, oldest first."""
    from apps.audit.models import Event

    with open_scope(tenant=firm.id, reason="a test"):
        recorded = Event.objects.order_by("occurred_at", "id").values_list("action", flat=True)
        return [action for action in recorded if action.startswith(tuple(actions_like))]
