"""Lists in pages: a cursor stays right while rows come in, and costs the same on page one thousand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError as DjangoValidationError
from django.db.models import QuerySet
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.views import APIView

PAGE_SIZE = 50
MAXIMUM_PAGE_SIZE = 200


class CursorPages(CursorPagination):
    """`{"next", "previous", "results"}`; next and previous are addresses to follow as they are."""

    page_size = PAGE_SIZE
    max_page_size = MAXIMUM_PAGE_SIZE
    page_size_query_param = "page_size"
    page_size_query_description = f"Rows on a page: 1 to {MAXIMUM_PAGE_SIZE}, {PAGE_SIZE} unless told."
    cursor_query_description = "From the `next` or `previous` of an earlier page."

    def paginate_queryset(
        self, queryset: QuerySet[Any, Any] | Sequence[Any], request: Request, view: APIView | None = None
    ) -> list[Any] | None:
        try:
            return super().paginate_queryset(queryset, request, view)
        except (NotFound, ValueError, DjangoValidationError):
            if self.cursor_query_param not in request.query_params:
                raise
            # A cursor is opaque, but anybody can write one: its position may be no date and its offset no number.
            message = "Not a cursor of this list. Take it from next or previous of an earlier page."
            raise ValidationError({self.cursor_query_param: [message]}) from None

    def decode_cursor(self, request: Request) -> Cursor | None:
        cursor = super().decode_cursor(request)
        if cursor is not None and "\0" in str(cursor.position):
            # Only the database would refuse it, in the middle of the transaction.
            raise NotFound
        return cursor

    def get_ordering(self, request: Request, queryset: QuerySet[Any], view: Any) -> tuple[str, ...]:
        ordering: tuple[str, ...] = view.ordering
        return ordering

    def get_page_size(self, request: Request) -> int | None:
        wanted = request.query_params.get("page_size")
        if wanted is None:
            return PAGE_SIZE
        if not (wanted.isascii() and wanted.isdigit() and len(wanted) <= 4 and 1 <= int(wanted) <= MAXIMUM_PAGE_SIZE):
            raise ValidationError({"page_size": [f"A whole number from 1 to {MAXIMUM_PAGE_SIZE}."]})
        return int(wanted)

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        link = {"type": "string", "format": "uri", "nullable": True}
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {
                "next": {**link, "description": "The next page; null on the last one."},
                "previous": {**link, "description": "The page before; null on the first one."},
                "results": schema,
            },
        }
