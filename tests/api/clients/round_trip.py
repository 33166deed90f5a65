"""The whole round trip with the generated Python client: upload, job, ask, citation, page, download, events.

Run by tests/api/test_api_clients.py, with the client on PYTHONPATH.
"""

from __future__ import annotations

import os
import time
from io import BytesIO

from glassbox_client import AuthenticatedClient
from glassbox_client.api.audit import get_audit_event, list_audit_events
from glassbox_client.api.documents import (
    download_document,
    get_document,
    get_document_page,
    list_document_chunks,
    list_documents,
    upload_document,
)
from glassbox_client.api.jobs import get_job
from glassbox_client.api.questions import ask_question
from glassbox_client.models import (
    Document,
    JobStatus,
    Problem,
    QueryRequest,
    UploadRequest,
)
from glassbox_client.types import File

TEXT = b"# Liquidity policy\n\nThe drawdown of the Alpha Fund was 12.5 % in Q4 2024, the largest since inception.\n"
LONGEST_S = 120.0


def main() -> None:
    url = os.environ["GLASSBOX_URL"]
    client = AuthenticatedClient(base_url=url, token=os.environ["GLASSBOX_KEY"], timeout=60)
    document = uploaded(client)
    assert [each.id for each in of_kinds(client, "run", "schedule")] == [document.id]
    assert of_kinds(client, "schedule", "methodology") == []

    answer = ask_question.sync(client=client, body=QueryRequest(question="What was the drawdown in Q4 2024?"))
    citation = answer.citations[0]
    assert not answer.refused
    assert answer.refusal is None
    assert citation.document.id == document.id
    page = get_document_page.sync(citation.document.id, citation.page, client=client)
    assert page.text[citation.char_start : citation.char_end] == citation.quote
    passages = list_document_chunks.sync(document.id, client=client)
    assert passages.next_ is None
    assert passages.results

    download = download_document.sync_detailed(document.id, client=client)
    assert download.parsed.payload.read() == TEXT
    assert "liquidity.md" in download.headers["Content-Disposition"]

    log = AuthenticatedClient(base_url=url, token=os.environ["GLASSBOX_LOG_KEY"], timeout=60)
    events = list_audit_events.sync(client=log, subject_id=document.id)
    assert "corpus.document.received" in {each.action for each in events.results}
    asked = get_audit_event.sync(answer.audit_event_id, client=log)
    assert asked.action == "retrieval.question.answered"


def uploaded(client: AuthenticatedClient) -> Document:
    """With an Idempotency-Key, twice; a wrong one first; followed until it is ready."""
    body = UploadRequest(
        file=File(payload=BytesIO(TEXT), file_name="liquidity.md", mime_type="text/markdown"),
        scope="fund:alpha",
        kind="run",
        jurisdictions=["DE", "LU"],
    )
    refused = upload_document.sync(client=client, body=UploadRequest(file=body.file, scope="fund:none", kind="run"))
    assert isinstance(refused, Problem)
    assert (refused.status, list(refused.errors.to_dict())) == (400, ["scope"])
    for replayed in (None, "true"):
        body.file.payload.seek(0)
        sent = upload_document.sync_detailed(client=client, body=body, idempotency_key="python-round-trip")
        assert (sent.status_code, sent.headers.get("Idempotent-Replayed")) == (202, replayed), sent.content
    document = sent.parsed
    assert document.jurisdictions == ["DE", "LU"]
    assert document.valid_to is None
    deadline = time.monotonic() + LONGEST_S
    while (job := get_job.sync(document.job.id, client=client)).status != JobStatus.SUCCEEDED:
        assert job.status != JobStatus.FAILED, job.error
        assert time.monotonic() < deadline, job.sentence
        time.sleep(0.2)
    ready: Document = get_document.sync(document.id, client=client)
    return ready


def of_kinds(client: AuthenticatedClient, *kinds: str) -> list[Document]:
    found: list[Document] = list_documents.sync(client=client, kind=list(kinds)).results
    return found


if __name__ == "__main__":
    main()
