"""Record each request to a model in the log: before it is sent, and what became of it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from apps.audit.models import Event
from apps.corpus.providers.base.receivers import Model, Purpose
from apps.corpus.providers.recording import RecordedRequest
from apps.erasure.runs.in_flight import keep_removals_waiting
from apps.intents.contracts import PolicySnapshot
from apps.retrieval.contracts import ContextBlock
from apps.retrieval.errors import DocumentsGoneError, GenerationTimeoutError
from apps.retrieval.generation.calls import Call
from apps.retrieval.retrievers.documents import may_be_read
from apps.retrieval.services.recording import question_digest
from apps.retrieval.trace import DeadlineUse, ModelCall
from apps.tenants.short_scopes import ShortScopes


class Deadline:
    """The time that all requests of one question may take together.

    Args: seconds: counted from now.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._ends = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds that are left; 0 or less if none are."""
        return self._ends - time.monotonic()

    def use(self) -> DeadlineUse:
        return DeadlineUse(seconds=self.seconds, used_seconds=round(self.seconds - self.left(), 3))


@dataclass(slots=True)
class CallLog:
    """The requests of one question, however often it is answered anew.

    event_ids: of the events from before each was sent. ended: what became of them.
    """

    event_ids: list[str] = field(default_factory=list)
    ended: list[ModelCall] = field(default_factory=list)
    sent_to: Counter[str] = field(default_factory=Counter)


def require_readable(context: ContextBlock | None) -> None:
    """Require that the passages may still be read, and keep removals waiting until the event that names them is there.

    Raises: DocumentsGoneError.
    """
    if context is None:
        return
    keep_removals_waiting()
    if not may_be_read({each.chunk.document.document_id for each in context.passages}):
        raise DocumentsGoneError


class RecordedCalls:
    """The requests of one question. Each is an event before it is sent, and a second one when it has ended.

    Args: scopes: who asks, and where.
          policy: under which the passages were found.
          deadline: of all requests together.
          question: its text, kept as a digest; empty if nobody asked it.
          confirm: called in the transaction that records a request. It raises if the request may not be sent any more.
              None for require_readable.
          log: where each request is added.
    """

    def __init__(
        self,
        *,
        scopes: ShortScopes,
        policy: PolicySnapshot,
        deadline: Deadline,
        question: str = "",
        confirm: Callable[[ContextBlock | None], None] | None = None,
        log: CallLog | None = None,
    ) -> None:
        self._scopes, self._policy, self._deadline = scopes, policy, deadline
        self._question, self._confirm = question, confirm or require_readable
        self._log = log or CallLog()

    @contextmanager
    def begin(
        self, to: Model, purpose: Purpose, *, context: ContextBlock | None, timeout_seconds: float
    ) -> Iterator[Call]:
        """See `Calls.begin`. Without an open scope, the first event is committed before the block begins."""
        left = self._deadline.left()
        if left <= 0:
            raise GenerationTimeoutError(model=to.model, timeout_seconds=f"{self._deadline.seconds:g}")
        # A profile of each kind may have the same name.
        receiver = f"{to.name} {to.model}"
        request = RecordedRequest(
            to=to,
            purpose=purpose,
            exchange=Call(timeout_seconds=min(timeout_seconds, left)),
            attempt=self._log.sent_to[receiver] + 1,
        )
        with self._scopes.renewed().open():
            self._confirm(context)
            event = self._record_called(request, context)
        self._log.sent_to[receiver] = request.attempt
        self._log.event_ids.append(str(event.id))
        try:
            with request.sending() as call:
                yield call
        finally:
            self._log.ended.append(
                ModelCall(
                    event_id=str(event.id),
                    timeout_seconds=round(request.exchange.timeout_seconds, 3),
                    **request.ended,
                )
            )

    def _record_called(self, request: RecordedRequest, context: ContextBlock | None) -> Event:
        return request.record_called(
            core={"policy_version": self._policy.number, "policy_version_id": str(self._policy.version_id)},
            question=question_digest(self._question) if self._question else None,
            hits=[
                {
                    "chunk_id": str(each.chunk.chunk_id),
                    "document_id": str(each.chunk.document.document_id),
                    "kind": each.chunk.document.kind,
                    "ref_id": each.ref_id,
                    "content_sha256": each.chunk.content_sha256,
                }
                for each in (context.passages if context else ())
            ],
            # Beside the hits, so that it is erased with them: it is a digest of what the documents say.
            passages={"context_sha256": context.sha256, "context_chars": context.size_chars} if context else None,
        )
