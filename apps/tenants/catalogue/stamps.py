"""Check that columns which the server stamps have the server's time in the application too (stamping.py)."""

from __future__ import annotations

from collections.abc import Iterator

from django.apps import apps
from django.db import models
from django.db.models.functions import Now

from apps.tenants.catalogue.contracts import Cursor, Finding
from apps.tenants.catalogue.guarded import rows
from apps.tenants.models.personal import Personal

_REMEDY = "Give the field db_default=Now(): PostgreSQL hands the time that stands there back with the row."


def clocks_of_the_application(cursor: Cursor) -> Iterator[Finding]:
    """Find creation times that the application takes from its own clock, although the server sets another time."""
    made = set(
        rows(
            cursor,
            r"""
            SELECT c.relname::text, split_part(a.argument, ':', 1)
              FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid,
                   unnest(string_to_array(encode(t.tgargs, 'escape'), E'\\000')) AS a (argument)
             WHERE t.tgfoid = 'authz.stamp()'::regprocedure AND a.argument ~ ':(own )?made$'
            """,
        )
    )
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            # The database does not return personal columns with an inserted row: only a function returns them.
            if not isinstance(field, models.DateTimeField) or isinstance(field, Personal):
                continue
            is_made = (model._meta.db_table, field.column) in made
            if (is_made and not isinstance(field.db_default, Now)) or field.auto_now or field.auto_now_add:
                yield Finding(
                    subject=f"Column {field.column} of {model._meta.db_table}",
                    problem="is stamped by the server, and the application takes its own clock's time for it.",
                    remedy=_REMEDY,
                )
