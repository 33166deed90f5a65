"""The warnings from reading a document, each as a sentence for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from apps.corpus.kinds import words_of_key
from apps.corpus.models import Document


def reservations(document: Document) -> Sequence[str]:
    """Return the warnings in their stored order, such as "Page 3: the page is a picture without text"."""
    return [_sentence(warning) for warning in document.warnings]


def _sentence(warning: Mapping[str, Any]) -> str:
    detail = str(warning.get("detail", ""))
    if warning.get("code") == "metadata_contradicts":
        # Stored with the field's key, by which a client knows it.
        field, colon, said = detail.partition(":")
        return words_of_key(field) + colon + said
    for place in ("page", "row"):
        if warning.get(place):
            return f"{place.capitalize()} {warning[place]}: {detail}"
    return detail[:1].upper() + detail[1:]
