"""What an event can be found by although its payload is sealed: ids and codes, never a word that somebody wrote.

They lie beside the ciphertext of the group that they come from, so that they are removed with it and cost no row of
their own. They are an aid for searching and prove nothing: what is shown is read from the sealed group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from apps.audit.registry import Group

INTENT: Final = "intent"
POLICY_VERSION: Final = "policy_version"
DOCUMENT: Final = "document_id"
# Of an event that authorises removals: what audit_erase goes by, since the database can't read the sealed core.
REMOVAL: Final = "removal"
# Of an event that empties a tenant's log: what stays all the same.
KEPT: Final = "kept"


def term(name: str, value: object) -> str:
    return f"{name}:{value}"


def terms_of(group: str, values: Mapping[str, Any]) -> list[str]:
    """The terms of a group, each once, in no telling order."""
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
