"""Signed notes, and checkpoints in that form, which an outsider keeps to check the log against.

    <origin>                     whose log it is, such as glassbox/audit/<tenant id>
    <size>                       number of leaves, in decimal
    <root>                       of the tree over them, base64

    \N{EM DASH} <key name> <base64 of 4 bytes that identify the key, and the signature>

The signature (Ed25519) covers all lines before the empty one, each with its line feed. The module is pure.

Source: C2SP, signed-note and tlog-checkpoint.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from apps.audit.log.tree import HASH_BYTES

_ED25519: Final = b"\x01"
_DASH: Final = "\N{EM DASH}"
_SIZE: Final = re.compile(r"0|[1-9][0-9]{0,18}")
_NAME: Final = re.compile(r"[^\s+]{1,200}")


class InvalidNoteError(ValueError):
    """The text is no signed note, or no known key has signed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The state of one tenant's log: `size` leaves (>= 0) and the root over them, 32 bytes."""

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyKey:
    """A public key with its name; `public` is 32 bytes."""

    name: str
    public: bytes

    @property
    def mark(self) -> bytes:
        """Return the four bytes by which a signature names its key."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.public).digest()[:4]

    def line(self) -> str:
        """Return `name+mark+key`, as signed notes write a verifier's key."""
        return f"{self.name}+{self.mark.hex()}+{base64.b64encode(_ED25519 + self.public).decode()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningKey:
    """A private key with its name; `seed` is 32 bytes."""

    name: str
    seed: bytes = field(repr=False)

    @property
    def verify_key(self) -> VerifyKey:
        public = Ed25519PrivateKey.from_private_bytes(self.seed).public_key().public_bytes_raw()
        return VerifyKey(name=self.name, public=public)


def signed(checkpoint: Checkpoint, key: SigningKey) -> str:
    """Return the checkpoint as a note with one signature."""
    if not _NAME.fullmatch(key.name) or "\n" in checkpoint.origin or not checkpoint.origin:
        raise ValueError("a key's name has no blank and no +, an origin is one line")
    text = checkpoint.text()
    signature = Ed25519PrivateKey.from_private_bytes(key.seed).sign(text.encode())
    return f"{text}\n{_DASH} {key.name} {base64.b64encode(key.verify_key.mark + signature).decode()}\n"


def opened(note: str, keys: Iterable[VerifyKey]) -> Checkpoint:
    """Return the checkpoint of a note that one of the keys has signed.

    A note may have several signatures: those of unknown keys are ignored, and each one that names a known key must be
    valid.

    Raises: InvalidNoteError.
    """
    text, separator, signatures = note.rpartition("\n\n")
    if not separator or not signatures.endswith("\n"):
        raise InvalidNoteError("it is not a signed note: expected lines, an empty line and signatures")
    known = {(key.name, key.mark): key for key in keys}
    body = text + "\n"
    found = 0
    for line in signatures[:-1].split("\n"):
        name, mark, signature = _signature(line)
        key = known.get((name, mark))
        if key is None:
            continue
        try:
            Ed25519PublicKey.from_public_bytes(key.public).verify(signature, body.encode())
        except InvalidSignature as error:
            raise InvalidNoteError(f"the signature of {name} does not fit the text") from error
        found += 1
    if not found:
        raise InvalidNoteError("no known key has signed it")
    return _checkpoint(body)


def _signature(line: str) -> tuple[str, bytes, bytes]:
    parts = line.split(" ")
    if len(parts) != 3 or parts[0] != _DASH or not _NAME.fullmatch(parts[1]):
        raise InvalidNoteError("a signature's line is not one")
    raw = _base64(parts[2], "a signature")
    if len(raw) < 5:
        raise InvalidNoteError("a signature is too short")
    return parts[1], raw[:4], raw[4:]


def _checkpoint(body: str) -> Checkpoint:
    lines = body.split("\n")
    if len(lines) < 4 or not lines[0] or not _SIZE.fullmatch(lines[1]):
        raise InvalidNoteError("it is not a checkpoint: expected origin, size and root")
    root = _base64(lines[2], "the root")
    if len(root) != HASH_BYTES:
        raise InvalidNoteError("the root is no SHA-256 hash")
    return Checkpoint(origin=lines[0], size=int(lines[1]), root=root)


def _base64(text: str, what: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidNoteError(f"{what} is not base64") from error
