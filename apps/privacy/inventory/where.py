"""Say in words where a place is within its document, event or row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from apps.privacy.models import InventoryHit

_PARTS: Final[Mapping[str, str]] = {
    "title": "title",
    "filename": "file name",
    "company": "company",
    "slug": "short name",
    "ticker": "ticker",
    "warnings": "warnings from reading it",
    "external_id": "id in its source",
    "error_detail": "error message",
    "header": "heading",
    "properties": "properties of the file",
    "comments": "comment or annotation",
    "fields": "form field",
    "attachments": "attachment or embedded file",
    "margins": "header or footer of the file",
    "notes": "footnote or endnote",
    "changes": "tracked change",
    "authors": "author of a change or comment",
    "attributes": "alternative text or other attribute",
    "scripts": "script or link",
    "rest": "part of the file that no page shows",
}


def where_of(hit: InventoryHit) -> str:
    """Return where a place is, such as `page 3`; empty where the thing is a single text."""
    return f"page {hit.page}" if hit.page else _PARTS.get(hit.part, hit.part)
