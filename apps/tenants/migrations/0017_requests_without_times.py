"""Replayed requests have no index by their end: a range of times would visit those of scopes that the reader lacks."""

from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = (("tenants", "0016_what_ended"),)

    operations = (migrations.RemoveIndex(model_name="idempotentrequest", name="idempotency_by_expiry"),)
