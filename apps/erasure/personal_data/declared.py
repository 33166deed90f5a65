"""Classify what the models declare, the tables that no model declares, and what lies beside the database."""

from __future__ import annotations

from apps.erasure.declarations.classified import classified_as
from apps.erasure.personal_data.beside import BESIDE
from apps.erasure.personal_data.tables import TABLES
from apps.erasure.registry import classify
from apps.tenants.personal_data import declarations


def classify_declared() -> None:
    """Raises: KeyError: a declaration names a field that its model does not have."""
    for model, declared in declarations():
        columns = {field.name: f"{model._meta.db_table}.{field.column}" for field in model._meta.concrete_fields}
        for fields in declared.fields:
            classify(*(classified_as(columns[name], fields) for name in fields.names.split()))
    for table, all_fields in TABLES.items():
        for fields in all_fields:
            classify(*(classified_as(f"{table}.{name}", fields) for name in fields.names.split()))
    for fields in BESIDE:
        classify(*(classified_as(name, fields) for name in fields.names.split()))
