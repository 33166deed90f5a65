"""Columns of an account that are hidden from other people. Only a database function returns their values."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, cast

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.expressions import Col

_CASTS: Final = {"BooleanField": "boolean", "DateTimeField": "timestamptz"}


class PersonalCol(Col):
    """A column that queries read through the function tenants_of_account (sql/personal_columns.sql).

    Its value is NULL unless the token lets the reader know it.
    """

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        table = compiler.quote_name_unless_alias(self.alias)
        type_name = _CASTS.get(self.target.get_internal_type(), "varchar")
        called = f'tenants_of_account({table}."id", {table}."username", \'{self.target.column}\')'
        return f"{called}::{type_name}", []


class Personal(models.Field[Any, Any]):
    def get_col(self, alias: str, output_field: models.Field[Any, Any] | None = None) -> Col:
        return PersonalCol(alias, self, output_field)

    @cached_property
    def cached_col(self) -> Col:
        return PersonalCol(self.model._meta.db_table, self)

    def deconstruct(self) -> tuple[str, str, list[Any], dict[str, Any]]:
        name, _, args, kwargs = super().deconstruct()
        return name, f"django.db.models.{self.get_internal_type()}", list(args), dict(kwargs)


class PersonalText(Personal, models.CharField[Any, Any]):
    pass


class PersonalEmail(Personal, models.EmailField[Any, Any]):
    def get_internal_type(self) -> str:
        return "EmailField"


class PersonalTime(Personal, models.DateTimeField[Any, Any]):
    pass


class PersonalFlag(Personal, models.BooleanField[Any, Any]):
    pass


_OF_TYPE: Final[dict[type, type[Personal]]] = {
    models.CharField: PersonalText,
    models.EmailField: PersonalEmail,
    models.DateTimeField: PersonalTime,
    models.BooleanField: PersonalFlag,
}


def personal(name: str) -> Any:
    """Return Django's own field of that name of an account, as a field that is read through PersonalCol."""
    field = cast("models.Field[Any, Any]", AbstractUser._meta.get_field(name))
    _, _, args, kwargs = field.deconstruct()
    return _OF_TYPE[type(field)](*args, **kwargs)
