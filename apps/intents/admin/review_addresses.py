"""Addresses of pages that belong to others, and may not be installed."""

from __future__ import annotations

from uuid import UUID

from django.urls import NoReverseMatch, reverse


def address(name: str, *args: UUID | str) -> str:
    """The address of one of the admin's pages by its name; empty while the page is not installed."""
    try:
        return reverse(f"admin:{name}", args=args)
    except NoReverseMatch:
        return ""
