"""Record each request to a model in the log: before it is sent, and what became of it.

Every text that leaves for a provider has an event from before it left: `retrieval.model.called`. A second one,
`retrieval.model.returned`, says how the request ended. A model within this process is no request.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from uuid import UUID

import numpy as np

from apps.audit.models import Event, Outcome
from apps.audit.registry import EventClass, Group, register
from apps.audit.services import record
from apps.tenants.context import current_scope, record_separately
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import ShortScopes, current_short_scopes, release_connection

from .around import ProviderAround
from .base.exchange import Exchange, following
from .base.prices import Price, read_price
from .base.receivers import Model, Purpose
from .protocol import EmbeddingProvider, Vectors
from .registry import ResidencyBoundProvider

CALLED: Final = "retrieval.model.called"
RETURNED: Final = "retrieval.model.returned"
# Said when a request is sent, and again when it has ended.
MODEL_FIELDS: Final = frozenset({"profile", "model", "region", "purpose", "attempt"})
_CALLED_FIELDS: Final = MODEL_FIELDS | {"policy_version", "policy_version_id", "passages", "timeout_seconds"}
# The cost with the price that it was computed by. Both are fixed: the price may change later.
_RETURNED_FIELDS: Final = MODEL_FIELDS | {
    *("code", "elapsed_ms", "first_byte_ms", "input_tokens", "output_tokens", "price", "cost", "currency")
}
# Who may cause a request: with a question, with a document, with work on a policy, by running a question again.
_WRITERS: Final = frozenset(
    {
        *(Permission.QUESTION_ASK, Permission.DOCUMENT_ADD, Permission.PRIVACY_MANAGE, Permission.AUDIT_VIEW),
        *(Permission.POLICY_EDIT, Permission.POLICY_APPROVE),
    }
)


def register_request_events() -> None:
    """Register the event classes; called once when the app is ready."""
    register(
        EventClass(
            action=CALLED,
            label="Model called",
            fields={
                Group.CORE: _CALLED_FIELDS,
                Group.QUESTION: frozenset({"hmac_sha256", "key_epoch", "length_chars", "intent_reason"}),
                # The digest of the context is erased with its documents.
                Group.PASSAGES: frozenset({"hits", "context_sha256", "context_chars"}),
            },
            permissions=_WRITERS,
        ),
        EventClass(
            action=RETURNED,
            label="Model call ended",
            fields={Group.CORE: _RETURNED_FIELDS},
            permissions=_WRITERS,
        ),
    )


@dataclass(slots=True, kw_only=True)
class RecordedRequest:
    """One request, from the event before it is sent to the event of its end.

    attempt: which one to this model for the same question, or which run of a job, from 1. exchange: how long it may
    take, and what is learned of it. event: None before it is recorded as called. ended: what is known at its end; empty
    before. Its cost is fixed then, because the price may change later.
    """

    to: Model
    purpose: Purpose
    exchange: Exchange
    attempt: int = 1
    event: Event | None = None
    ended: dict[str, Any] = field(default_factory=dict)
    _acting: ShortScopes | None = field(default=None, repr=False)

    def record_called(
        self,
        *,
        core: Mapping[str, Any] | None = None,
        hits: Sequence[Mapping[str, Any]] = (),
        passages: Mapping[str, Any] | None = None,
        question: Mapping[str, Any] | None = None,
        document_id: UUID | None = None,
    ) -> Event:
        """Record, in the open scope, that the request is about to be sent.

        Args: core: what else stands beside the provider. hits: the passages that are sent. passages: what else is said
              of them. document_id: the document they are all of, if it is one.
        """
        groups: dict[str, Any] = {"question": question} if question else {}
        if hits:
            groups["passages"] = {"hits": hits, **(passages or {})}
        if document_id:
            groups |= {"subject_type": "document", "subject_id": document_id}
        self._acting = current_short_scopes()
        self.event = record(
            action=CALLED,
            core={
                **self._about(),
                **(core or {}),
                "passages": len(hits),
                "timeout_seconds": round(self.exchange.timeout_seconds, 3),
            },
            scopes=current_scope().scope_ids,
            **groups,
        )
        return self.event

    @contextmanager
    def sending(self) -> Iterator[Exchange]:
        """Follow the request that the block sends, and record its end."""
        self.exchange.started = time.monotonic()
        code = ""
        try:
            # The model may take as long as it is allowed to, and others need the connection meanwhile.
            release_connection()
            with following(self.exchange):
                yield self.exchange
        except BaseException as error:
            code = getattr(error, "code", type(error).__name__)
            raise
        finally:
            self.ended = self._at_the_end(code)
            self._record_returned()

    def _at_the_end(self, code: str) -> dict[str, Any]:
        price, exchange = self.to.price, self.exchange
        cost = price.cost(exchange.input_tokens, exchange.output_tokens) if price else None
        return {
            **self._about(),
            "code": code,
            "elapsed_ms": round((time.monotonic() - exchange.started) * 1000.0, 3),
            "first_byte_ms": exchange.first_byte_ms,
            "input_tokens": exchange.input_tokens,
            "output_tokens": exchange.output_tokens,
            "price": str(price) if price else "",
            "cost": None if cost is None else f"{cost:f}",
            "currency": price.currency if price else "",
        }

    def _about(self) -> dict[str, Any]:
        return {
            "profile": self.to.name,
            "model": self.to.model,
            "region": self.to.region,
            "purpose": self.purpose.value,
            "attempt": self.attempt,
        }

    def _record_returned(self) -> None:
        if self.event is None or self._acting is None:
            raise AssertionError("a request is recorded before it is sent")
        # By the system: the event before it says who asked, and whoever was erased while the model worked must not be
        # named again.
        record_separately(
            tenant=self._acting.tenant_id,
            scopes=self._acting.scope_ids,
            principal=None,
            reason="record the end of a request to a model",
            event={
                "action": RETURNED,
                "outcome": Outcome.FAILED if self.ended["code"] else Outcome.SUCCESS,
                "subject_type": "event",
                "subject_id": self.event.id,
                "core": self.ended,
                "scopes": self._acting.scope_ids,
            },
        )


# Notes a request before it is sent, and at the end of the block what became of it. Takes the receiver, what the request
# is for, and how many seconds the reply may take.
Begin = Callable[[Model, Purpose, float], AbstractContextManager[object]]


class RecordingProvider(ProviderAround):
    """A provider whose requests are recorded, each by itself. A model within this process takes none.

    Args: begin: records a request. documents: what the requests for passages are for.
    """

    def __init__(
        self, provider: ResidencyBoundProvider, begin: Begin, *, documents: Purpose = Purpose.EMBED_EXAMPLES
    ) -> None:
        self._provider, self._begin, self._documents = provider, begin, documents

    def inner(self) -> EmbeddingProvider:
        return self._provider

    @property
    def price(self) -> Price | None:
        return read_price(self._provider.profile.price)

    def embed_query(self, text: str) -> Vectors:
        if not self._provider.profile.is_remote:
            return self._provider.embed_query(text)
        # Before anything is recorded as about to be sent.
        self._provider.check()
        with self._begin(self, Purpose.EMBED_QUESTION, self._provider.profile.timeout_seconds):
            return self._provider.embed_query(text)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        profile = self._provider.profile
        if not texts or not profile.is_remote:
            return self._provider.embed_documents(texts)
        self._provider.check()
        found: list[Vectors] = []
        for start in range(0, len(texts), profile.inputs_at_once):
            with self._begin(self, self._documents, profile.timeout_seconds):
                found.append(self._provider.embed_documents(texts[start : start + profile.inputs_at_once]))
        return np.concatenate(found)


def recording_provider(provider: ResidencyBoundProvider, scopes: ShortScopes) -> RecordingProvider:
    """Return a provider that records its requests for who acts in the scopes, with their grants of the moment.

    Use it outside of any scope: then the event of a request is committed before the request is sent.
    """
    return RecordingProvider(provider, partial(_begin_in, scopes))


@contextmanager
def _begin_in(scopes: ShortScopes, to: Model, purpose: Purpose, timeout_seconds: float) -> Iterator[None]:
    request = RecordedRequest(to=to, purpose=purpose, exchange=Exchange(timeout_seconds=timeout_seconds))
    with scopes.renewed().open():
        request.record_called()
    with request.sending():
        yield
