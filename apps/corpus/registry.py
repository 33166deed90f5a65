"""The one place where the rooms above register what this room asks of them, each in its AppConfig.ready.

Which kinds of document there are, and who may upload them, is decided by the policy in force, which a room above keeps.
tests/audit/test_registries.py and tests/corpus/test_kinds.py fail if nobody registers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from apps.corpus.kinds import Kind, RetentionClass, SourceType, words_of_key
from apps.tenants.roles import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class KindInForce:
    """A kind as the policy in force defines it. `uploaders` is empty where every role that adds documents may."""

    kind: Kind
    name: str
    description: str
    examples: tuple[str, ...]
    retention_class: RetentionClass
    source_category: SourceType
    uploaders: tuple[Role, ...]
    retired: bool


KindSource = Callable[[], tuple[KindInForce, ...]]
_sources: list[KindSource] = []


def register_kinds(source: KindSource) -> None:
    """Register what knows the kinds of the open scope's tenant. There is one policy, so there is one source."""
    if _sources and source not in _sources:
        raise ValueError("the kinds of documents have a source already")
    if source not in _sources:
        _sources.append(source)


def kinds_in_force() -> tuple[KindInForce, ...]:
    """Return the kinds of the open scope's tenant, by priority, with the retired ones.

    Raises: RuntimeError: nobody registered, so that nothing could be uploaded at all.
    Costs:  one query, five more the first time that this process reads the policy version.
    """
    if not _sources:
        raise RuntimeError("nobody registered the kinds of documents (apps.corpus.registry.register_kinds)")
    return _sources[0]()


def kind_names() -> dict[str, str]:
    """Return the firm's names of its kinds by key; for a key that is not there, use name_of."""
    return {each.kind.value: each.name for each in kinds_in_force()}


def name_of(kind: str, names: Mapping[str, str] | None = None) -> str:
    """Return the firm's name of a kind, or the words of the key of one that the policy no longer has."""
    return (kind_names() if names is None else names).get(kind) or words_of_key(kind)
