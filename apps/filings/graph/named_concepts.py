"""Concepts of the vocabulary in running text: names of several words, and single words that mean nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from apps.filings.graph.words import NameIndex
from apps.filings.vocabulary.concepts import UPPER_CASE_ONLY, concepts

_SHORTEST_WORD: Final = 5


def _names() -> Iterator[tuple[str, str]]:
    for concept in concepts().values():
        for name in (concept.name, *concept.labels, *concept.asked):
            parts = name.split()
            if name in UPPER_CASE_ONLY or (len(parts) == 1 and (len(name) < _SHORTEST_WORD or name in concept.asked)):
                continue
            yield name, concept.name
            if name not in concept.german and not name.endswith("s"):
                yield f"{name}s", concept.name


@lru_cache(maxsize=1)
def named_concepts() -> NameIndex[str]:
    """Return the names of concepts with the concept's name."""
    return NameIndex(_names(), folded=True)


def key_of_concept(name: str) -> str:
    """Return the end of the key of a concept by any of its names; of a term that a document defines, its words."""
    known = named_concepts().whole(name)
    return "-".join((known or name).casefold().split())
