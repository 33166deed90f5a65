"""Proofs are of who files what, of the kinds themselves and of the rule of two reviewers, held by the database."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("intents", "0023_lapsed")]

    operations = [RunSqlFile("proof_of_kinds.sql")]
