"""ORM lookups that every app can use."""

from __future__ import annotations

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Lookup, UUIDField
from django.db.models.sql.compiler import SQLCompiler


@UUIDField.register_lookup
class AnyOf(Lookup[Any]):
    """The lookup `filter(id__any_of=ids)`: like `in`, but with one parameter however many ids there are.

    `in` has one parameter for each id. Beyond a few thousand ids, Django and psycopg take longer to process the
    parameters than the query takes: 8,000 took 0.25 s (tests/benchmarks). The lookup does not work across a foreign
    key, which accepts only Django's own lookups.
    """

    lookup_name = "any_of"
    prepare_rhs = False

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, tuple[Any, ...]]:
        column, parameters = self.process_lhs(compiler, connection)
        return f"{column} = ANY (%s::uuid[])", (*parameters, list(self.rhs))
