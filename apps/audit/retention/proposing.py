"""Handing a purge on to be removed: part by part, each a run that a second person approves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final
from uuid import UUID

from django.db import connection, transaction

from apps.audit.erasing import RemovalReason
from apps.audit.erasure.contracts import Origin, RunState, Target
from apps.audit.erasure.registry import kept
from apps.audit.erasure.runs import run_propose
from apps.audit.models import Purge, PurgePart, RemovalTarget
from apps.audit.retention.baseline import ensure_in_force
from apps.audit.retention.content import Asked, asked
from apps.audit.retention.contracts import Item
from apps.audit.retention.due import BATCH, Step, due
from apps.audit.retention.dry_run import core_of, ground_kind
from apps.audit.retention.contracts import Place
from apps.audit.retention.errors import PurgeEndedError, PurgeOutdatedError
from apps.audit.retention.events import PURGE_PROPOSED
from apps.audit.retention.selectors import rules_of
from apps.audit.retention.writing import require_person
from apps.audit.services import record
from apps.tenants.advisory import advisory_key
from apps.tenants.context import current_scope
from apps.tenants.roles import Permission

# So many single things are proposed at once: a run that a person can take in, and that is soon carried out.
PART_TARGETS: Final = 2_000
