"""Where needles are kept between the control and the scan: a sealed file in the state folder, outside the database.

They are the personal data themselves. The file is AES-256-GCM under a key of its own, which the keys' provider wrapped
(apps/audit/keys), bound to its run; who has the file and not the key-encryption key has nothing. It is read by its
owner alone, looked through by the scan like every other file of the folder, overwritten and removed when the run ends.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import zlib
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from apps.audit.keys.contracts import WrappedKey
from apps.audit.keys.data_keys import key_provider
from apps.erasure.contracts import Target, TargetType
from apps.erasure.proof.errors import NeedlesLostError
from apps.erasure.proof.gathering import Gathered
from apps.erasure.residue.encodings import Encoding
from apps.erasure.residue.needles import Needle, Needles, Sort

FOLDER: Final = "erasure"
_SUFFIX: Final = ".needles"
_DOMAIN: Final = b"glassbox.erasure.needles.v1"
_NONCE_BYTES: Final = 12


def path_of(home: Path, *, tenant_id: UUID, run_id: UUID) -> Path:
    return home / FOLDER / f"{tenant_id}.{run_id}{_SUFFIX}"


def keep(home: Path, gathered: Gathered, *, tenant_id: UUID, run_id: UUID) -> None:
    """Write the file, whole or not at all. One that is there already is overwritten first."""
    context = _context(tenant_id, run_id)
    key, nonce = secrets.token_bytes(32), secrets.token_bytes(_NONCE_BYTES)
    wrapped = key_provider().wrap(key, context=context)
    head = json.dumps({"kek": wrapped.kek_id, "key": base64.b64encode(wrapped.wrapped).decode()}).encode()
    sealed = AESGCM(key).encrypt(nonce, zlib.compress(_packed(gathered)), context)
    path = path_of(home, tenant_id=tenant_id, run_id=run_id)
    destroy(home, tenant_id=tenant_id, run_id=run_id)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    half = path.with_suffix(".half")
    with os.fdopen(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(head + b"\n" + nonce + sealed)
        file.flush()
        os.fsync(file.fileno())
    half.replace(path)


def opened(home: Path, *, tenant_id: UUID, run_id: UUID) -> Gathered:
    """Raises: NeedlesLostError: the file is gone, or is not what was written; KeyEncryptionKeyMissingError."""
    try:
        head, _, rest = path_of(home, tenant_id=tenant_id, run_id=run_id).read_bytes().partition(b"\n")
        named = json.loads(head)
        wrapped = WrappedKey(kek_id=named["kek"], wrapped=base64.b64decode(named["key"]))
    except (OSError, ValueError, KeyError) as error:
        raise NeedlesLostError(run=run_id) from error
    context = _context(tenant_id, run_id)
    key = key_provider().unwrap(wrapped, context=context)
    try:
        return _unpacked(zlib.decompress(AESGCM(key).decrypt(rest[:_NONCE_BYTES], rest[_NONCE_BYTES:], context)))
    except (InvalidTag, ValueError) as error:
        raise NeedlesLostError(run=run_id) from error


def destroy(home: Path, *, tenant_id: UUID, run_id: UUID) -> None:
    """Overwrite the file and remove it. Nothing where there is none."""
    path = path_of(home, tenant_id=tenant_id, run_id=run_id)
    for each in (path, path.with_suffix(".half")):
        try:
            with each.open("r+b") as file:
                file.write(os.urandom(each.stat().st_size))
                file.flush()
                os.fsync(file.fileno())
            each.unlink()
        except FileNotFoundError:
            continue


def kept(home: Path) -> list[tuple[UUID, UUID]]:
    """Tenant and run of each file that is there."""
    found = {path.stem for suffix in (_SUFFIX, ".half") for path in (home / FOLDER).glob(f"*{suffix}")}
    return sorted((UUID(tenant), UUID(run)) for tenant, _, run in (name.partition(".") for name in found))


def _context(tenant_id: UUID, run_id: UUID) -> bytes:
    return b"\0".join((_DOMAIN, tenant_id.bytes, run_id.bytes))


def _packed(gathered: Gathered) -> bytes:
    found = gathered.needles
    return json.dumps(
        {
            "sources": found.sources,
            "left_out": dict(found.left_out),
            "of": gathered.of,
            "targets": [(each.type, str(each.id), each.part) for each in gathered.targets],
            "needles": [
                (each.source, each.encoding, base64.b64encode(each.pattern).decode()) for each in found.needles
            ],
        }
    ).encode()


def _unpacked(content: bytes) -> Gathered:
    told: dict[str, Any] = json.loads(content)
    return Gathered(
        needles=Needles(
            sources=tuple(Sort(each) for each in told["sources"]),
            needles=tuple(
                Needle(source, Encoding(encoding), base64.b64decode(pattern))
                for source, encoding, pattern in told["needles"]
            ),
            left_out=told["left_out"],
        ),
        targets=tuple(Target(type=TargetType(type), id=UUID(id), part=part) for type, id, part in told["targets"]),
        of=tuple(told["of"]),
    )
