"""Addresses of pages that belong to another floor, by name: whoever links to them need not import them."""

from __future__ import annotations

from uuid import UUID

from django.urls import NoReverseMatch, reverse


def address(name: str, *args: UUID | str) -> str:
    """The address of one of the admin's pages, such as `policy_draft`; empty where no such page is installed."""
    try:
        return reverse(f"admin:{name}", args=args)
    except NoReverseMatch:
        return ""
