"""Types for ids that must not be mixed."""

from __future__ import annotations

from typing import NewType
from uuid import UUID

TenantId = NewType("TenantId", UUID)
ScopeId = NewType("ScopeId", UUID)
UserId = NewType("UserId", UUID)
