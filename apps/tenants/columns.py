"""Columns that most tables have, for use in migrations (models/base.py defines the same for models)."""

from __future__ import annotations

from typing import Final

from django.db import models

from apps.tenants.models.base import TenantForeignKey, UuidV7

ID: Final = models.UUIDField(db_default=UuidV7(), editable=False, primary_key=True, serialize=False)
TENANT: Final = models.ForeignKey("tenants.tenant", models.PROTECT, db_index=False, related_name="+")
SCOPE: Final = TenantForeignKey("tenants.scope", models.PROTECT, related_name="+")
