"""Terms by which an event can be found although its payload is sealed: ids and codes, never words that a person wrote.

Terms are stored beside the ciphertext of the group that they come from, so that they are removed with it and need no
row of their own. They only help to search and prove nothing: what is shown is read from the sealed group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from apps.audit.registry import Group

INTENT: Final = "intent"
POLICY_VERSION: Final = "policy_version"
DOCUMENT: Final = "document_id"
# Names a group that an event authorises to remove. audit_erase reads this term, since the database can't read the
# sealed core.
REMOVAL: Final = "removal"
# Names a group that stays although the event empties the tenant's log.
KEPT: Final = "kept"


def term(name: str, value: object) -> str:
    return f"{name}:{value}"


def terms_of(group: str, values: Mapping[str, Any]) -> list[str]:
    """Return the terms of a group without duplicates, sorted so that their order reveals nothing."""
    found = _FINDERS[group](values) if group in _FINDERS else ()
    return sorted(set(found))


def _of_core(values: Mapping[str, Any]) -> Iterable[str]:
    for name in (INTENT, POLICY_VERSION):
        if isinstance(values.get(name), str | int):
            yield term(name, values[name])
    for removal in values.get("removals", ()):
        if isinstance(removal, Mapping):
            yield term(REMOVAL, f"{removal['event_id']}:{removal['group']}")
    kept = values.get("kept")
    for part in kept if isinstance(kept, list) else ():
        yield term(KEPT, f"{part['event_id']}:{part['group']}")


def _of_passages(values: Mapping[str, Any]) -> Iterable[str]:
    for hit in values.get("hits", ()):
        if isinstance(hit, Mapping) and hit.get(DOCUMENT):
            yield term(DOCUMENT, hit[DOCUMENT])


_FINDERS: Mapping[str, Callable[[Mapping[str, Any]], Iterable[str]]] = {
    Group.CORE: _of_core,
    Group.PASSAGES: _of_passages,
}
