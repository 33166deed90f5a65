"""The keys of the log's checkpoints: the private key where the worker runs, the public keys for all processes.

GLASSBOX_LOG_SIGNING_KEY    name:hex, 32 bytes; read only under the role glassbox_worker, so that a process that serves
                            requests can't sign
GLASSBOX_LOG_VERIFY_KEYS    name+mark+key[,...] as `manage.py audit log-key` prints them; include those of earlier
                            signing keys that still have checkpoints to be verified
GLASSBOX_WITNESSES          "URL name+mark+key"[, ...]: the witnesses that cosign checkpoints (C2SP, tlog-witness)
GLASSBOX_TIMESTAMP_URL      the service that stamps them (RFC 3161), with GLASSBOX_TIMESTAMP_ROOTS, a file of PEM
                            certificates
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from apps.audit.log.cosignatures import parsed_witness_key
from apps.audit.log.notes import SigningKey, VerifyKey
from apps.audit.log.timestamps import TimestampService
from apps.audit.log.witnesses import Witness

from . import env

VERIFY_KEYS: Final = "GLASSBOX_LOG_VERIFY_KEYS"
SIGNING_ROLE: Final = "glassbox_worker"


def verify_keys(own: SigningKey | None, lines: Iterable[str]) -> tuple[VerifyKey, ...]:
    """Return the public key of the signing key, if it is known, and the keys of the lines.

    Raises: EnvironmentVariableError: a line is no verifier's key.
    """
    found = [own.verify_key] if own else []
    found += [_parsed(line) for line in lines]
    return tuple(dict.fromkeys(found))


def witnesses(lines: Iterable[str]) -> tuple[Witness, ...]:
    """Parse the lines of witnesses.

    Raises: EnvironmentVariableError: a line does not consist of an address and a key, or two lines have the same name.
    """
    found = tuple(_witness(line) for line in lines)
    if len({each.key.name for each in found}) != len(found):
        raise env.EnvironmentVariableError(problems="GLASSBOX_WITNESSES names a witness twice.")
    return found


def _witness(line: str) -> Witness:
    url, _, key = line.strip().partition(" ")
    parts = urlsplit(url)
    problem = 'GLASSBOX_WITNESSES must be "https://address name+mark+key"[, ...], with a key of cosignature/v1.'
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise env.EnvironmentVariableError(problems=problem)
    try:
        return Witness(url=url, key=parsed_witness_key(key.strip()))
    except ValueError:
        raise env.EnvironmentVariableError(problems=problem) from None


def timestamps(url: str, roots: str) -> TimestampService | None:
    """Return the time-stamping service, or None if none is named.

    Raises: EnvironmentVariableError: the file of its certificates is missing.
    """
    if not url:
        return None
    if not roots or not Path(roots).is_file():
        problem = "GLASSBOX_TIMESTAMP_ROOTS must name a file of PEM certificates, for GLASSBOX_TIMESTAMP_URL."
        raise env.EnvironmentVariableError(problems=problem)
    return TimestampService(url=url, roots=Path(roots))


def _parsed(line: str) -> VerifyKey:
    name, _, rest = line.partition("+")
    mark, _, encoded = rest.partition("+")
    try:
        raw = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    key = VerifyKey(name=name, public=raw[1:])
    if len(raw) != 33 or raw[0] != 1 or key.mark.hex() != mark:
        problem = f"{VERIFY_KEYS} must be name+mark+key[,...], as manage.py audit log-key prints them."
        raise env.EnvironmentVariableError(problems=problem)
    return key
