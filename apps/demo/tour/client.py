"""The demo as a client of the API: it learns everything over HTTP."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import httpx
from django.conf import settings

from apps.corpus.services.ingest.errors import ErasedDocumentError
from apps.demo.catalogue import DemoDocument
from apps.errors import ApplicationError

Json = dict[str, Any]
_POLL_SECONDS = 0.5
_PAGE_SIZE = 200


class DemoApiError(ApplicationError):
    """The API gave a response that the demo did not expect."""

    code = "demo.api"
    status = 502
    message = "{method} {path} answered {http_status}: {detail}"


class DemoErasedError(ApplicationError):
    """Somebody erased a document of the demo, as its pages suggest trying. An erased document does not come back."""

    code = "demo.erased"
    status = 409
    message = "{detail} The tour needs it: to start again from nothing, remove {home} with all that it holds."


class DemoIngestError(ApplicationError):
    code = "demo.ingest"
    status = 502
    message = "{title} was not ingested: {detail}"


class DemoClient:
    """A client of the API with one key of one firm."""

    def __init__(self, base_url: str, key: str) -> None:
        self._http = httpx.Client(
            base_url=f"{base_url}/api/v1", headers={"Authorization": f"Bearer {key}"}, timeout=120.0
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._http.close()

    def upload(self, document: DemoDocument) -> Json:
        fields: dict[str, Any] = {
            "scope": document.scope_key,
            "kind": document.kind.value,
            "title": document.title,
            "document_type": document.document_type.value,
            "source_type": document.source_type.value,
            "company": document.company,
            "published_on": document.published_on.isoformat(),
            "jurisdictions": list(document.jurisdictions),
            "language": "en",
        }
        if document.fiscal_year is not None:
            quarter = f"Q{document.fiscal_quarter} " if document.fiscal_quarter else "FY"
            fields["period"] = f"{quarter}{document.fiscal_year}"
        fields = {name: value for name, value in fields.items() if value}
        return self._call("POST", "/documents/", data=fields, files={"file": (document.file_name, document.content)})

    def wait_until_ready(self, uploads: list[Json], *, on_change: Callable[[int], None]) -> list[Json]:
        """Poll until every upload is searchable. Raises DemoIngestError for one that failed."""
        wanted = [upload["id"] for upload in uploads]
        while True:
            held = self._documents(set(wanted))
            for document in held.values():
                if document["status"] == "failed":
                    raise DemoIngestError(title=document["title"], detail=document["error"]["detail"])
            ready = [held[each] for each in wanted if each in held and held[each]["status"] == "ready"]
            on_change(len(ready))
            if len(ready) == len(wanted):
                return ready
            time.sleep(_POLL_SECONDS)

    def _documents(self, wanted: set[str]) -> dict[str, Json]:
        """Return the wanted documents by id, reading as many pages of the list as necessary."""
        found: dict[str, Json] = {}
        address: str | None = f"/documents/?page_size={_PAGE_SIZE}"
        while address and len(found) < len(wanted):
            page = self._call("GET", address)
            found |= {document["id"]: document for document in page["results"] if document["id"] in wanted}
            address = page["next"]
        return found

    def ask(self, question: str) -> Json:
        return self._call("POST", "/query/", json={"question": question, "trace": True})

    def event(self, event_id: str) -> Json:
        return self._call("GET", f"/audit/events/{event_id}/")

    def _call(self, method: str, path: str, **request: Any) -> Json:
        response = self._http.request(method, path, **request)
        # Too many calls, or a process that has just started: both say when to come again.
        while response.is_error and "Retry-After" in response.headers:
            time.sleep(int(response.headers["Retry-After"]))
            response = self._http.request(method, path, **request)
        if response.is_error:
            body = response.json() if "json" in response.headers.get("content-type", "") else {}
            detail = f"{body.get('detail', response.reason_phrase)} {body.get('errors', '')}".strip()
            if body.get("code") == ErasedDocumentError.code:
                raise DemoErasedError(detail=detail, home=settings.GLASSBOX_HOME)
            raise DemoApiError(method=method, path=path, http_status=response.status_code, detail=detail)
        answer: Json = response.json()
        return answer
