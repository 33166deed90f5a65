"""The keys of the log's checkpoints: the private one where the worker runs, the public ones for everybody.

GLASSBOX_LOG_SIGNING_KEY    name:hex, 32 bytes; read under the role glassbox_worker alone, so that whoever serves
                            requests can't sign
GLASSBOX_LOG_VERIFY_KEYS    name+mark+key[,...] as `manage.py audit log-key` prints them; also those of earlier
                            signing keys, which checkpoints are still to be verified by
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from typing import Final

from apps.audit.log.notes import SigningKey, VerifyKey

from . import env

VERIFY_KEYS: Final = "GLASSBOX_LOG_VERIFY_KEYS"
SIGNING_ROLE: Final = "glassbox_worker"


def verify_keys(own: SigningKey | None, lines: Iterable[str]) -> tuple[VerifyKey, ...]:
    """The key that signs first, where it is known, and those of the lines.

    Raises: EnvironmentVariableError: a line is no verifier's key.
    """
    found = [own.verify_key] if own else []
    found += [_parsed(line) for line in lines]
    return tuple(dict.fromkeys(found))


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
