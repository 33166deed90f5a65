"""Keep drawn pages in Redis for a while, and forget them with their documents.

A picture of a page is the page: it is kept under its tenant, scope and document, so that whatever removes one of them
finds it. Nothing is read from here before the document was found in the open scope.

What is drawn while a document is removed: whoever draws writes first and looks for the document afterwards
(page_images.py). The eraser clears this after the document's row is gone, so that one of the two forgets it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final
from uuid import UUID

from django.core.cache import cache
from django.db import connection
from pydantic import TypeAdapter, ValidationError
from redis.exceptions import RedisError

from apps.corpus.reader.answers import ContradictionError, check_picture
from apps.corpus.reader.contracts import PagePicture
from apps.erasure.contracts import Phase, Target, TargetType
from apps.erasure.stores.rows import ids, ids_of
from apps.tenants.context import current_scope
from apps.tenants.counting import client
from apps.tenants.personal_data.stores import SCOPES_BELOW

logger = logging.getLogger("glassbox.corpus")

KEPT_S: Final = 10 * 60
# Of one tenant: the oldest is forgotten for a new one. A scan in colour is larger, and drawn each time.
MOST_KEPT: Final = 48
MOST_BYTES: Final = 3 * 1024 * 1024
_PICTURE: Final = TypeAdapter(PagePicture)
_NAME: Final = "page_image:{tenant}:{scope}:{document}:{digest}:{page}:{scale}"
_OF_TENANT: Final = "page_image:{tenant}:*"
_ORDER: Final = "page_image:{tenant}:order"


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnPage:
    """Which page of which file, and in what size."""

    tenant_id: UUID
    scope_id: UUID
    document_id: UUID
    content_sha256: str
    page: int
    scale: int

    @property
    def name(self) -> str:
        return _NAME.format(
            tenant=self.tenant_id,
            scope=self.scope_id,
            document=self.document_id,
            digest=self.content_sha256,
            page=self.page,
            scale=self.scale,
        )


def kept(drawn: DrawnPage) -> PagePicture | dict[str, Any] | None:
    """Return the picture, or the error with which drawing it ended (see `keep_error`); None if neither is kept."""
    try:
        found = cache.get(drawn.name)
    except RedisError as error:
        logger.warning("pages are drawn without a cache (%s)", type(error).__name__)
        return None
    if not isinstance(found, dict):
        return None
    if "error" in found:
        return found
    try:
        picture = _PICTURE.validate_json(str(found.get("picture")))
        check_picture(picture)
    except (ValidationError, ContradictionError):
        logger.warning("what lies in Redis as a page's picture is none")
        return None
    return picture


def keep(drawn: DrawnPage, picture: PagePicture) -> None:
    """Keep a picture, unless it is too large."""
    if len(picture.image) <= MOST_BYTES:
        _keep(drawn, {"picture": _PICTURE.dump_json(picture).decode()})


def keep_error(drawn: DrawnPage, told: dict[str, Any]) -> None:
    """Keep why a page can't be drawn, so that a costly page does not cost the same at each look."""
    _keep(drawn, {"error": told["error"], "data": told["data"]})


def _keep(drawn: DrawnPage, value: dict[str, Any]) -> None:
    order = cache.make_key(_ORDER.format(tenant=drawn.tenant_id))
    try:
        cache.set(drawn.name, value, timeout=KEPT_S)
        redis: Any = client()
        seconds, _ = redis.time()
        redis.zadd(order, {cache.make_key(drawn.name): seconds})
        redis.expire(order, KEPT_S)
        surplus = int(redis.zcard(order)) - MOST_KEPT
        for oldest, _ in redis.zpopmin(order, surplus) if surplus > 0 else ():
            redis.delete(oldest)
    except RedisError as error:
        logger.warning("a drawn page was not kept (%s)", type(error).__name__)


def forget(*, tenant_id: UUID, document_id: UUID) -> None:
    """Forget all pages of a document. Without Redis they go by themselves (KEPT_S), and nobody finds the document."""
    try:
        if names := list(_names(tenant_id, documents=[document_id])):
            client().delete(*names)
    except RedisError as error:
        logger.warning("drawn pages of a removed document were not forgotten (%s)", type(error).__name__)


def _names(tenant_id: UUID, *, scopes: Sequence[UUID] = (), documents: Sequence[UUID] = ()) -> Iterator[bytes]:
    """Yield the keys of some scopes and documents, each once. Costs: a walk over all keys: Redis has no other way."""
    within, of = {str(each) for each in scopes}, {str(each) for each in documents}
    pattern = cache.make_key(_OF_TENANT.format(tenant=tenant_id))
    for name in set(client().scan_iter(match=pattern, count=1_000)):
        parts = name.decode().rsplit(":", 5)
        if len(parts) == 6 and (parts[1] in within or parts[2] in of):
            yield name


class PageImages:
    """Drawn pages in Redis, which knows no transaction of ours: what is cleared is gone even if that is rolled back.

    Without Redis it raises RedisError, since nobody can say then that nothing is there. What must stay in a scope loses
    its pictures with the rest: they are drawn again.
    """

    key = "corpus.page_images"
    label = "Images of pages that were looked at lately"
    phase = Phase.DOCUMENTS  # after the documents, by its key
    types = frozenset({TargetType.DOCUMENT, TargetType.SCOPE, TargetType.TENANT})

    def count(self, targets: Sequence[Target]) -> int:
        return sum(1 for _ in self._found(targets))

    def clear(self, targets: Sequence[Target], *, limit: int) -> int:
        names = list(islice(self._found(targets), limit))
        return int(client().delete(*names)) if names else 0

    def _found(self, targets: Sequence[Target]) -> Iterator[bytes]:
        tenant = current_scope().tenant_id
        if tenant in ids(targets, TargetType.TENANT):
            yield from set(client().scan_iter(match=cache.make_key(_OF_TENANT.format(tenant=tenant)), count=1_000))
            return
        scopes, documents = ids(targets, TargetType.SCOPE), ids(targets, TargetType.DOCUMENT)
        if scopes or documents:
            yield from _names(tenant, scopes=_below(targets) if scopes else (), documents=documents)


def _below(targets: Sequence[Target]) -> list[UUID]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT unnest({SCOPES_BELOW})", ids_of(targets))
        return [row[0] for row in cursor.fetchall()]
