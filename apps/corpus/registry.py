"""The one place where the rooms above register what this room asks of them, each in its AppConfig.ready.

- What is derived from a file while it is read. A derivation works in the reading process, on the file's bytes and
  pages, because neither is trusted. Its result crosses to the worker as JSON, is checked there like the rest of the
  answer, and is stored in the transaction of the passages.
- Which kinds of document there are, and who may upload them. The policy in force decides that.

tests/audit/test_registries.py and tests/corpus/test_kinds.py fail if nobody registers.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter

from apps.corpus.description import Description
from apps.corpus.extraction.contracts import ExtractedDocument, ExtractionWarning, Page, WarningCode
from apps.corpus.kinds import Kind, RetentionClass, Right, SourceType, words_of_key
from apps.tenants.roles import Role

if TYPE_CHECKING:
    from apps.corpus.models import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """What a derivation made of a file. left_out: how many items more it read that their page does not bear out."""

    items: Sequence[Any]
    left_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """One derivation.

    module:  the module whose import registers it. It must import without Django's settings.
    name:    its key in the answer of the reading process.
    label:   what a warning calls its result: "Facts".
    result:  the type of its result, which is a sequence.
    most:    how many items of it are kept; a warning says so where there are more.
    prepare: reads what it needs from the disk; the process that reads a file may open no others.
    derive:  makes the result of the file's bytes, its pages, its description and its language.
    check:   raises ContradictionError if a result does not agree with the pages and the media type.
    """

    module: str
    name: str
    label: str
    result: TypeAdapter[Any]
    most: int
    prepare: Callable[[], None]
    derive: Callable[[bytes, ExtractedDocument, Description, str], Derived]
    check: Callable[[Any, Mapping[int, Page], str], None]


Store = Callable[["Document", Any], None]

_derivations: Final[dict[str, Derivation]] = {}
_stores: Final[dict[str, Store]] = {}


def register_derivation(derivation: Derivation) -> None:
    """Have something derived from every file that is read."""
    _derivations[derivation.name] = derivation


def register_store_of_derivation(name: str, store: Store) -> None:
    """Have the result of a derivation stored. `store` gets the document in its open scope and transaction."""
    _stores[name] = store


def derivation_modules() -> tuple[str, ...]:
    """Return the modules that the reading process has to import."""
    return tuple(sorted(each.module for each in _derivations.values()))


def prepare_derivations(modules: Sequence[str]) -> None:
    """Import the modules, and read what their derivations need."""
    for module in modules:
        importlib.import_module(module)
    for each in _derivations.values():
        each.prepare()


def derive_all(
    content: bytes, extracted: ExtractedDocument, about: Description, language: str
) -> tuple[dict[str, Any], tuple[ExtractionWarning, ...]]:
    """Return the result of each derivation as JSON's types, and a warning for each that failed or gave too much.

    A failure costs the derived rows and not the document: its passages are searched all the same.
    """
    results: dict[str, Any] = {}
    warnings: list[ExtractionWarning] = []
    for each in _derivations.values():
        try:
            found = each.derive(content, extracted, about, language)
            results[each.name] = each.result.dump_python(found.items[: each.most], mode="json")
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            detail = f"{each.label} could not be read from this file ({type(error).__name__})."
            warnings.append(ExtractionWarning(code=WarningCode.PART_NOT_READ, detail=detail))
        else:
            details = []
            if len(found.items) > each.most:
                details.append(f"{each.label}: only the first {each.most:,} of {len(found.items):,} were kept.")
            if found.left_out:
                details.append(f"{each.label}: {found.left_out:,} left out, which the page does not bear out.")
            warnings.extend(ExtractionWarning(code=WarningCode.PART_NOT_READ, detail=detail) for detail in details)
    return results, tuple(warnings)


def check_derived(derived: Mapping[str, Any], pages: Mapping[int, Page], media_type: str) -> None:
    """Check what the reading process derived. Raises: ContradictionError; ValidationError: not of the result's type."""
    for name, result in derived.items():
        _derivations[name].check(_derivations[name].result.validate_python(result), pages, media_type)


def store_derived(document: Document, derived: Mapping[str, Any]) -> None:
    """Store all results; a document without one loses the rows of an earlier reading."""
    for name, store in _stores.items():
        derivation = _derivations[name]
        store(document, derivation.result.validate_python(derived[name]) if name in derived else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class KindInForce:
    """A kind as the policy in force defines it.

    uploaders, correctors, removers: the roles with each right; empty for all that may do it at all. Where no correctors
    are named, those who upload it correct it.
    readers: the names of the intents whose questions reach it, the fallback's too.
    """

    kind: Kind
    name: str
    description: str
    examples: tuple[str, ...]
    retention_class: RetentionClass
    source_category: SourceType
    uploaders: tuple[Role, ...]
    retired: bool
    readers: tuple[str, ...] = ()
    correctors: tuple[Role, ...] = ()
    removers: tuple[Role, ...] = ()

    def roles_with(self, right: Right) -> tuple[Role, ...]:
        """Return the roles that the policy names for this right; none where it leaves it to all of them."""
        if right is Right.REMOVE:
            return self.removers
        return self.correctors or self.uploaders if right is Right.CORRECT else self.uploaders


KindSource = Callable[[], tuple[KindInForce, ...]]
LeavingSource = Callable[[], Mapping[str, int]]
_sources: Final[list[KindSource]] = []
_leaving: Final[list[LeavingSource]] = []


def register_kinds(source: KindSource) -> None:
    """Register what knows the kinds of the open scope's tenant. There is one policy, so there is one source."""
    if _sources and source not in _sources:
        raise ValueError("the kinds of documents have a source already")
    if source not in _sources:
        _sources.append(source)


def register_leaving_kinds(source: LeavingSource) -> None:
    """Register what knows which of those kinds are about to go."""
    if source not in _leaving:
        _leaving.append(source)


def kinds_in_force() -> tuple[KindInForce, ...]:
    """Return the kinds of the open scope's tenant, by priority, with the retired ones.

    Raises: RuntimeError: nobody registered, so that nothing could be uploaded at all.
    Costs:  one query, five more the first time that this process reads the policy version.
    """
    if not _sources:
        raise RuntimeError("nobody registered the kinds of documents (apps.corpus.registry.register_kinds)")
    return _sources[0]()


def kinds_leaving() -> Mapping[str, int]:
    """Return the kinds in force that a version leaves out which is approved and waits for its time, with its number.

    Costs: one query, one more if a version waits, and those of kinds_in_force.
    """
    return {kind: number for source in _leaving for kind, number in source().items()}


def kind_names() -> dict[str, str]:
    """Return the firm's names of its kinds by key; for a key that is not there, use name_of."""
    return {each.kind.value: each.name for each in kinds_in_force()}


def name_of(kind: str, names: Mapping[str, str] | None = None) -> str:
    """Return the firm's name of a kind, or the words of the key of one that the policy no longer has."""
    return (kind_names() if names is None else names).get(kind) or words_of_key(kind)
