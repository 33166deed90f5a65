"""What a run was aimed at, as one hash: the Merkle root over its frozen targets. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from apps.audit.canonical import canonical_bytes
from apps.audit.log.tree import root_of
from apps.erasure.contracts import Target


def leaves_of(targets: Iterable[Target]) -> list[bytes]:
    """A hash for each target, in the order of the targets. An id is random: nobody guesses it from its hash."""
    return [leaf_of(target) for target in sorted(targets)]


def leaf_of(target: Target) -> bytes:
    content = canonical_bytes({"id": str(target.id), "part": target.part, "type": str(target.type)})
    return hashlib.sha256(b"\0" + content).digest()


def root(leaves: Iterable[bytes]) -> str:
    """64 hexadecimal digits."""
    return root_of(leaves).hex()
