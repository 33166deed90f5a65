"""Which digests a tombstone keeps of its targets, asked of the apps that know: they register it in AppConfig.ready."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from apps.audit.erasure.contracts import Target
from apps.audit.tombstones.record import DigestKind, keyed_digest
from apps.tenants.ids import TenantId

DigestSource = Callable[[Sequence[Target]], Iterable[tuple[DigestKind, str]]]
"""In the open scope, before anything of the targets is removed: (kind, value) of what is held of them."""

_sources: list[DigestSource] = []


def register_digest_source(source: DigestSource) -> None:
    if source not in _sources:
        _sources.append(source)


def digests_of(targets: Sequence[Target], *, tenant: TenantId) -> tuple[tuple[DigestKind, str], ...]:
    found = {pair for source in _sources for pair in source(targets)}
    return tuple(sorted((kind, keyed_digest(kind, value, tenant=tenant)) for kind, value in found))
