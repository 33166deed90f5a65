"""Idempotency-Key: a write that is sent twice acts once.

The row that remembers a request is written in the transaction of the act itself. So there is no state in between: a
crash before the commit leaves neither (sending again acts), one after it leaves both (sending again is answered from
the row). A failed request leaves no row: nothing was done, and it may be mended and sent again with its key.

Two at once: the second finds the first one's advisory lock taken and gets 409 with Retry-After, rather than waiting
with a database connection in its hand. The lock ends with the transaction, a killed one included. Its number is keyed,
so that pg_locks tells nobody anything.

Questions are the exception: their answers are not kept. An answer quotes documents, may name people, and under the
recording mode hash_only not even the question may be stored; a second store of such text, for a day, would be one more
place that an erasure must reach. What a client wants of the key is an answer after a lost connection, and a question
changes nothing. So a repeated question is answered anew, recorded anew, and the header Glassbox-Repeats-Event names the
first one's event, which tells a retry from a second question. Where a question begins something that stays, its view
finds that by the first one's event (`ApiView.repeats`), and answers with it. A reused key with another body is still
refused, and so are two at once.

No transaction is open while a question is answered, so the row is written in the transaction that records the answer,
and what keeps a second one out meanwhile is a mark in Redis. Without Redis two at once are both answered.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import wraps
from typing import Any, Final, Protocol
from uuid import UUID, uuid4

from django.core.cache import cache
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, connection, transaction
from django.http import QueryDict
from django.utils import timezone
from django.utils.crypto import salted_hmac
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.response import Response

from apps.tenants.api.errors import IdempotencyKeyReusedError, RequestInProgressError, RequestRefusedError
from apps.tenants.api.views import ApiView
from apps.tenants.context import current_scope
from apps.tenants.ids import ScopeId
from apps.tenants.models import IdempotentRequest
from apps.tenants.short_scopes import ShortScopes

HEADER = "Idempotency-Key"
REPLAYED_HEADER = "Idempotent-Replayed"
REPEATS_HEADER = "Glassbox-Repeats-Event"
KEPT_FOR = timedelta(hours=24)
_MAXIMUM_KEY_CHARS = 255
# Longer than a question takes, whose requests to a model share a minute. After a process died, its key waits as long.
_MARK_SECONDS: Final = 180

logger = logging.getLogger("glassbox.api")


class ActResponse(Response):
    """The answer to an act, with what a later replay must know.

    Args: subject_id: what was made, changed, removed or recorded.
          scope_ids: whoever gets the answer again must hold these.
          replayable: whether the body may be kept for a day.
          kept: what is kept of the body and answered again, where that is not all of it: a secret is told once.
    """

    def __init__(
        self,
        data: Any = None,
        *,
        status: int,
        subject_id: UUID,
        scope_ids: Iterable[ScopeId] = (),
        replayable: bool = True,
        headers: Mapping[str, str] | None = None,
        kept: Any = None,
    ) -> None:
        super().__init__(data, status=status, headers=dict(headers or {}))
        self.subject_id = subject_id
        self.scope_ids = sorted(scope_ids)
        self.replayable = replayable
        self.kept = data if kept is None else kept


Handler = Callable[..., ActResponse]


def idempotent(handler: Handler) -> Callable[..., Response]:
    """Let a view's handler honour Idempotency-Key; without the header nothing changes. Costs four queries."""

    @wraps(handler)
    def wrapper(view: ApiView, request: Request, *args: Any, **kwargs: Any) -> Response:
        key = _given_key(request)
        if key is None:
            view.require_unchanged(request, *args, **kwargs)
            return handler(view, request, *args, **kwargs)
        digests = _key_digest(key), _request_digest(request)
        _lock(digests[0])
        known = _known(*digests)
        if known is not None and known.replayable:
            return _replay(known)
        view.require_unchanged(request, *args, **kwargs)
        response = handler(view, request, *args, **kwargs)
        if known is not None:
            response[REPEATS_HEADER] = str(known.subject_id)
        elif response.status_code < 300:
            _remember(*digests, response)
        return response

    return wrapper


def idempotent_question(handler: Callable[..., Response]) -> Callable[..., Response]:
    """Let the handler of a question honour Idempotency-Key. Its view opens its own scopes.

    The handler gets `on_recorded`: what to call with the question's event in the transaction that records it, or None.
    """

    @wraps(handler)
    def wrapper(view: ApiView, request: Request, *args: Any, **kwargs: Any) -> Response:
        key = _given_key(request)
        if key is None:
            return handler(view, request, *args, on_recorded=None, **kwargs)
        scopes = ShortScopes(principal=view.principal, scope_ids=view.principal.scope_ids)
        with scopes.open():
            digests = _key_digest(key), _request_digest(request)
        with _marked(digests[0]):
            with scopes.open():
                known = _known(*digests)
            if known is not None:
                view.repeats = known.subject_id
                response = handler(view, request, *args, on_recorded=None, **kwargs)
                response[REPEATS_HEADER] = str(known.subject_id)
                return response

            meanwhile: list[IdempotentRequest] = []

            def on_recorded(event: Identified) -> None:
                try:
                    with transaction.atomic():
                        _remember(*digests, ActResponse(status=200, subject_id=event.id, replayable=False))
                except IdempotencyKeyReusedError:
                    # Without the mark, the same question may have been answered meanwhile.
                    other = _known(*digests)
                    if other is None:
                        raise
                    meanwhile.append(other)

            response = handler(view, request, *args, on_recorded=on_recorded, **kwargs)
            for other in meanwhile:
                response[REPEATS_HEADER] = str(other.subject_id)
            return response

    return wrapper


class Identified(Protocol):
    """What was recorded."""

    id: UUID


@contextmanager
def _marked(key_digest: str) -> Iterator[None]:
    """Keep a second request of the same key out. The mark of a process that dies ends by itself."""
    name, mine = f"idempotency:{key_digest}", uuid4()
    try:
        free = cache.add(name, mine, timeout=_MARK_SECONDS)
    except RedisError as error:
        # Without the traceback: an outage would write one for every request.
        logger.error("two questions of one key are not kept apart: Redis can't be reached (%s)", type(error).__name__)  # noqa: TRY400
        yield
        return
    if not free:
        raise RequestInProgressError
    try:
        yield
    finally:
        with suppress(RedisError):
            if cache.get(name) == mine:
                cache.delete(name)


def forget_expired() -> int:
    """Remove what is older than a day from the open scope. Returns the number of rows; one query."""
    removed, _ = IdempotentRequest.objects.filter(expires_at__lte=timezone.now()).delete()
    return removed


def _lock(key_digest: str) -> None:
    number = int.from_bytes(bytes.fromhex(key_digest)[:8], signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [number])
        row = cursor.fetchone()
    if row is None or not row[0]:
        raise RequestInProgressError


def _given_key(request: Request) -> str | None:
    key = request.headers.get(HEADER)
    if key is not None and not (0 < len(key) <= _MAXIMUM_KEY_CHARS and key.isascii() and key.isprintable()):
        raise RequestRefusedError("api.idempotency_key_invalid")
    return key


def _known(key_digest: str, request_digest: str) -> IdempotentRequest | None:
    """Return the earlier request of this key. Raises IdempotencyKeyReusedError: it asked for something else."""
    found: IdempotentRequest | None = IdempotentRequest.objects.filter(
        **_principal(), key_digest=key_digest, expires_at__gt=timezone.now()
    ).first()
    if found is not None and not hmac.compare_digest(found.request_digest, request_digest):
        raise IdempotencyKeyReusedError
    return found


def _remember(key_digest: str, request_digest: str, response: ActResponse) -> None:
    forget_expired()
    try:
        IdempotentRequest.objects.create(
            tenant_id=current_scope().tenant_id,
            **_principal(),
            key_digest=key_digest,
            request_digest=request_digest,
            scope_ids=response.scope_ids,
            subject_id=response.subject_id,
            replayable=response.replayable,
            status_code=response.status_code,
            location=response.headers.get("Location", ""),
            body=response.kept if response.replayable else None,
            expires_at=timezone.now() + KEPT_FOR,
        )
    except IntegrityError:
        # The key's row lies in scopes that this principal has lost since: it is another request's all the same.
        raise IdempotencyKeyReusedError from None


def _replay(known: IdempotentRequest) -> Response:
    response = Response(known.body, status=known.status_code, headers={REPLAYED_HEADER: "true"})
    if known.location:
        response["Location"] = known.location
    return response


def _principal() -> dict[str, Any]:
    principal = current_scope().principal
    return {"principal_kind": principal.kind.value, "principal_id": principal.id}


def _key_digest(key: str) -> str:
    """Of the key within its tenant and principal: equal keys of two clients do not look equal, nor share a lock."""
    context = current_scope()
    owner = f"{context.tenant_id}|{context.principal.kind}|{context.principal.id}"
    if context.principal.key_id is not None:
        # A person's key may do less than the person: it is not told what their session was answered.
        owner += f"|{context.principal.key_id}"
    return _digest([owner, key])


def _request_digest(request: Request) -> str:
    """Of what is asked for, not of the bytes: a multipart boundary differs each time that the same form is sent."""
    body: Any = request.data
    if isinstance(body, QueryDict):
        body = {name: [_value(each) for each in body.getlist(name)] for name in body}
    return _digest([request.method, request.path, sorted(request.query_params.lists()), body])


def _value(value: object) -> object:
    if not isinstance(value, UploadedFile):
        return value
    digest = hashlib.sha256()
    for piece in value.chunks():
        digest.update(piece)
    value.seek(0)
    return {"filename": value.name, "sha256": digest.hexdigest()}


def _digest(value: object) -> str:
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return salted_hmac("glassbox.idempotency", canonical, algorithm="sha256").hexdigest()
