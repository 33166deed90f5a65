"""The answer that somebody was given a moment ago, so that its page can be opened again: in Redis, for minutes.

It is sealed under a key made of the session's own, which no table holds: only the session that asked opens it. Beside
it stand the ids by which an erasure finds it.
"""

from __future__ import annotations

import json
import secrets
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.core.cache import cache
from django.db import connection
from django.utils.crypto import salted_hmac

from apps.erasure.contracts import Phase, Target, TargetType
from apps.erasure.stores.counters import redis_client
from apps.erasure.stores.rows import ids, ids_of
from apps.retrieval.kept.content import AnswerContent, content_from_bytes
from apps.tenants.context import current_scope
from apps.tenants.ids import TenantId
from apps.tenants.personal_data.stores import SCOPES_BELOW

KEPT_SECONDS: Final = 15 * 60
_KEY: Final = "answer:{tenant}:{account}:{event}"
_NONCE_BYTES: Final = 12
_SALT: Final = "apps.retrieval.kept.momentary"


@dataclass(frozen=True, slots=True, kw_only=True)
class JustGiven:
    """An answer with the parts of its page: answer_html shows it with its citations, way_html how it came about."""

    content: AnswerContent
    answer_html: str
    way_html: str
    scope_ids: tuple[UUID, ...]
    document_ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerKey:
    """Whose answer it is. session_key: the secret of the session that asked."""

    tenant: TenantId
    account: UUID
    event: UUID
    session_key: str

    @property
    def name(self) -> str:
        return _KEY.format(tenant=self.tenant, account=self.account, event=self.event)

    def cipher(self) -> AESGCM:
        return AESGCM(salted_hmac(_SALT, self.session_key, algorithm="sha256").digest())


def remember(given: JustGiven, place: AnswerKey) -> None:
    """Raises: RedisError. Call it outside of any transaction."""
    parts = {"content": given.content.as_bytes().decode(), "answer": given.answer_html, "way": given.way_html}
    plain = json.dumps(parts, ensure_ascii=False)
    nonce = secrets.token_bytes(_NONCE_BYTES)
    sealed = nonce + place.cipher().encrypt(nonce, zlib.compress(plain.encode()), place.name.encode())
    value = {"scopes": list(given.scope_ids), "documents": list(given.document_ids), "sealed": sealed}
    cache.set(place.name, value, timeout=KEPT_SECONDS)


def recall(place: AnswerKey) -> JustGiven | None:
    """Return None after its time, in another session, and where it was erased. Raises: RedisError."""
    value = cache.get(place.name)
    if not isinstance(value, dict):
        return None
    try:
        nonce, sealed = value["sealed"][:_NONCE_BYTES], value["sealed"][_NONCE_BYTES:]
        plain = zlib.decompress(place.cipher().decrypt(nonce, sealed, place.name.encode()))
    except (InvalidTag, KeyError, TypeError, ValueError):
        # Another session's, or written by nobody of ours: to this session, there is no answer.
        return None
    parts = json.loads(plain)
    return JustGiven(
        content=content_from_bytes(parts["content"].encode()),
        answer_html=parts["answer"],
        way_html=parts["way"],
        scope_ids=tuple(value["scopes"]),
        document_ids=tuple(value["documents"]),
    )


class AnswersJustGiven:
    """See Store. As with the counters of calls, what is cleared is gone even where the transaction is rolled back."""

    key = "retrieval.answers_just_given"
    label = "Answers that were given in the last minutes"
    phase = Phase.CACHES
    types = frozenset(TargetType)

    def count(self, targets: Sequence[Target]) -> int:
        return sum(1 for _ in _found(targets))

    def clear(self, targets: Sequence[Target], *, limit: int) -> int:
        names = list(islice(_found(targets), limit))
        for name in names:
            cache.delete(name)
        return len(names)


def _found(targets: Sequence[Target]) -> Iterator[str]:
    """Costs: a walk over all keys, as Redis has no other way; one query where a scope is named."""
    concerned = _concerns(targets)
    if concerned is None:
        return
    prefix = cache.make_key("")
    pattern = cache.make_key(_KEY.format(tenant=current_scope().tenant_id, account="*", event="*"))
    with redis_client() as client:
        # A walk may come by a key twice.
        names = {name.decode().removeprefix(prefix) for name in client.scan_iter(match=pattern, count=1_000)}
    for name in sorted(names):
        value = cache.get(name)
        if isinstance(value, dict) and concerned(name, value):
            yield name


def _concerns(targets: Sequence[Target]) -> Callable[[str, dict[str, Any]], bool] | None:
    """Return what says of an answer whether it is a target's; None without targets."""
    if not targets:
        return None
    whole = current_scope().tenant_id in ids(targets, TargetType.TENANT)
    accounts = {str(id) for id in ids(targets, TargetType.USER)}
    events = {str(id) for id in ids(targets, TargetType.EVENT_GROUP)}
    documents, scopes = set(ids(targets, TargetType.DOCUMENT)), _scopes_below(targets)

    def concerned(name: str, value: dict[str, Any]) -> bool:
        _, _, account, event = name.split(":")
        return (
            whole
            or account in accounts
            or event in events
            or not documents.isdisjoint(value.get("documents", ()))
            or not scopes.isdisjoint(value.get("scopes", ()))
        )

    return concerned


def _scopes_below(targets: Sequence[Target]) -> set[UUID]:
    if not ids(targets, TargetType.SCOPE):
        return set()
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT unnest({SCOPES_BELOW})", ids_of(targets))
        return {row[0] for row in cursor.fetchall()}
