"""The key of an entity: its type and its normalised name. What has one key is one entity."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from apps.filings.graph.contracts import LONGEST_KEY, EntityType
from apps.filings.graph.named_concepts import key_of_concept
from apps.filings.graph.organisations import key_of_organisation
from apps.filings.graph.people import key_of_person
from apps.filings.graph.places import places
from apps.filings.graph.regulations import key_of_regulation
from apps.filings.graph.values import values_in

_WORD: Final = re.compile(r"[^\W_]+")


def _key_of_place(name: str) -> str:
    return places().whole(name) or ""


def _words(name: str) -> str:
    return "-".join(_WORD.findall(name.casefold()))


_KEY_OF: Final[Mapping[EntityType, Callable[[str], str]]] = {
    EntityType.ORGANISATION: key_of_organisation,
    EntityType.PERSON: key_of_person,
    EntityType.LOCATION: _key_of_place,
    EntityType.REGULATION: key_of_regulation,
    EntityType.CONCEPT: key_of_concept,
    EntityType.PRODUCT: _words,
    EntityType.DOCUMENT: _words,
}
_VALUES: Final = frozenset({EntityType.DATE, EntityType.MONEY, EntityType.PERCENT})


def entity_key(type: EntityType, end: str) -> str:
    """Return the key with this end."""
    return f"{type.value}:{end}"[:LONGEST_KEY]


def keys_of_name(type: EntityType, name: str) -> frozenset[str]:
    """Return the keys that a printed name may have by itself; a value has one for each language that may write it."""
    if type in _VALUES:
        ends = {
            end
            for language in ("en", "de")
            for start, stop, found, end in values_in(name, language)
            if found is type and start == 0 and stop == len(name)
        }
    else:
        ends = {_KEY_OF[type](name)}
    return frozenset(entity_key(type, end) for end in ends if end)


def key_of_search(type: EntityType, name: str) -> str:
    """Return the beginning of the keys of entities whose names begin with this."""
    if type is EntityType.LOCATION:
        return entity_key(type, _key_of_place(name) or _words(name))
    if type in _VALUES or type is EntityType.REGULATION:
        known = keys_of_name(type, name)
        return min(known) if known else entity_key(type, _words(name))
    return entity_key(type, _KEY_OF[type](name) or _words(name))
