"""Cosignatures: the statement of a witness about a checkpoint, as one more line of the note.

    \N{EM DASH} <witness's name> <base64 of 4 bytes that identify the key, 8 of the time, and the signature>

The signature (Ed25519) covers "cosignature/v1", the time, and the text of the checkpoint. It states that the checkpoint
continues every checkpoint of this log that the witness saw, and is the newest of them. The module is pure.

Source: C2SP, tlog-cosignature and signed-note.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from apps.audit.log.notes import InvalidNoteError

COSIGNATURE: Final = b"\x04"
_DASH: Final = "\N{EM DASH}"
_LATEST: Final = 253_402_300_799  # the last second of the year 9999


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessKey:
    """The public key of a named witness; `public` is 32 bytes."""

    name: str
    public: bytes

    @property
    def mark(self) -> bytes:
        """Return the four bytes by which a cosignature names its key."""
        return hashlib.sha256(self.name.encode() + b"\n" + COSIGNATURE + self.public).digest()[:4]

    def line(self) -> str:
        """Return `name+mark+key`, as the witness publishes it."""
        return f"{self.name}+{self.mark.hex()}+{base64.b64encode(COSIGNATURE + self.public).decode()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cosignature:
    """A cosignature. line: without its line feed. at: when the witness says that it signed."""

    witness: str
    line: str
    at: datetime


def parsed_witness_key(line: str) -> WitnessKey:
    """Parse a published key. Raises: ValueError: the line is no witness key, or its parts do not belong together."""
    name, _, rest = line.partition("+")
    mark, _, encoded = rest.partition("+")
    try:
        raw = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    key = WitnessKey(name=name, public=raw[1:])
    if not name or len(raw) != 33 or raw[:1] != COSIGNATURE or key.mark.hex() != mark:
        raise ValueError("a witness is named by name+mark+key, of the kind cosignature/v1 (Ed25519)")
    return key


def cosigned_message(text: str, seconds: int) -> bytes:
    """Return what a witness signs.

    Args: text: of the checkpoint, which is all lines before the empty one with their line feeds.
    """
    return f"cosignature/v1\ntime {seconds}\n{text}".encode()


def text_of(note: str) -> str:
    """Return the signed text of a note. Raises: InvalidNoteError."""
    text, separator, _ = note.rpartition("\n\n")
    if not separator:
        raise InvalidNoteError("it is not a signed note: expected lines, an empty line and signatures")
    return f"{text}\n"


def cosignature_of(note: str, lines: str, key: WitnessKey) -> Cosignature:
    """Return the line that this witness made for the note's checkpoint, ignoring the lines of others.

    Raises: InvalidNoteError: there is no such line, or it is not of this checkpoint.
    """
    text = text_of(note)
    for line in lines.split("\n"):
        parts = line.split(" ")
        if len(parts) != 3 or parts[0] != _DASH or parts[1] != key.name:
            continue
        try:
            raw = base64.b64decode(parts[2], validate=True)
        except (binascii.Error, ValueError):
            continue
        if raw[:4] != key.mark:
            continue
        seconds = int.from_bytes(raw[4:12], "big")
        if len(raw) != 76 or seconds > _LATEST:
            raise InvalidNoteError(f"the cosignature of {key.name} is no cosignature/v1")
        try:
            Ed25519PublicKey.from_public_bytes(key.public).verify(raw[12:], cosigned_message(text, seconds))
        except InvalidSignature as error:
            raise InvalidNoteError(f"the cosignature of {key.name} is not of this checkpoint") from error
        return Cosignature(witness=key.name, line=line, at=datetime.fromtimestamp(seconds, UTC))
    raise InvalidNoteError(f"no cosignature of {key.name} is there")
