"""Where in a thing a place is, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from apps.audit.models import InventoryHit

_PARTS: Final[Mapping[str, str]] = {
    "title": "title",
    "filename": "file name",
    "company": "company",
    "external_id": "id in its source",
    "error_detail": "error message",
    "header": "heading",
}


def where_of(hit: InventoryHit) -> str:
    """Such as `page 3`; empty where the thing is one text."""
    return f"page {hit.page}" if hit.page else _PARTS.get(hit.part, hit.part)
