"""A tombstone: what one run removes, as ids and keyed digests, bound to the tombstone before it. Pure but for the key.

Ids of items are random or made of the time (UUID 4 and 7): with the item gone they lead to nothing and nobody. What a
document held is told by a digest under a key of its tenant that is in no database: it can't be guessed back, and
compares with nothing of another tenant's. So a tombstone holds no personal data, and may outlive what it is about.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from apps.audit.errors import TombstonesDamagedError
from apps.audit.log.sealed_records import mac_of, opened, purpose_key
from apps.erasure.contracts import DigestKind, Origin, Target, TargetType
from apps.tenants.ids import TenantId

FORMAT: Final = "glassbox.tombstone.v1"


class Kind(StrEnum):
    BEGUN = "begun"  # written before the run removes anything; targets: what it removes
    ENDED = "ended"  # the run has come to its end; targets: what stayed after all, such as what a hold keeps


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """number: its place, from 1. event_id: of the log, which says that it was written. previous, mac: in hex.

    digests: (kind, keyed digest in hex) of the documents among the targets. origin_id: of what the run was proposed
    for; None where the release that wrote it did not say.
    """

    number: int
    kind: Kind
    tenant_id: TenantId
    run_id: UUID
    origin: Origin
    reason_code: str
    event_id: UUID
    targets: tuple[Target, ...]
    digests: tuple[tuple[DigestKind, str], ...]
    at: datetime
    previous: str
    mac: str = ""
    origin_id: UUID | None = None

    def body(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "number": self.number,
            "kind": self.kind.value,
            "tenant": str(self.tenant_id),
            "run": str(self.run_id),
            "origin": self.origin.value,
            **({} if self.origin_id is None else {"origin_id": str(self.origin_id)}),
            "reason": self.reason_code,
            "event": str(self.event_id),
            "targets": [[each.type.value, str(each.id), each.part] for each in self.targets],
            "digests": [[kind.value, digest] for kind, digest in self.digests],
            "at": self.at.isoformat(),
            "previous": self.previous,
        }


def keyed_digest(kind: DigestKind, value: str, *, tenant: TenantId) -> str:
    """HMAC-SHA256 under the tenant's key, in hex."""
    return hmac.new(purpose_key(f"digest {tenant}"), f"{kind.value}\x1f{value}".encode(), hashlib.sha256).hexdigest()


def tombstone(text: str, *, number: int, previous: str) -> Tombstone:
    """Raises: TombstonesDamagedError: it is not the one that was written there."""
    values = opened(text, number=number)
    if (values.get("format"), values.get("number"), values.get("previous")) != (FORMAT, number, previous):
        raise TombstonesDamagedError(number=number, problem="it does not follow the one before it")
    return Tombstone(
        number=number,
        kind=Kind(values["kind"]),
        tenant_id=TenantId(UUID(values["tenant"])),
        run_id=UUID(values["run"]),
        origin=Origin(values["origin"]),
        reason_code=values["reason"],
        event_id=UUID(values["event"]),
        targets=tuple(Target(type=TargetType(type), id=UUID(id), part=part) for type, id, part in values["targets"]),
        digests=tuple((DigestKind(kind), digest) for kind, digest in values["digests"]),
        at=datetime.fromisoformat(values["at"]),
        origin_id=UUID(values["origin_id"]) if "origin_id" in values else None,
        previous=previous,
        mac=mac_of(values),
    )
