"""Seal what a run says: under a data key of the tenant where the policy keeps texts, else under a key for minutes.

The key for minutes is made for one run and lies in Redis alone. When it is gone, nobody reads what lies in the rows,
nor in a copy of them. Each step of the run prolongs it, and it is there while the run waits for a worker.
"""

from __future__ import annotations

import json
import secrets
from typing import Any, Final, TypeVar
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.core.cache import cache

from apps.audit.errors import PayloadDamagedError
from apps.research.errors import RunError
from apps.research.models import ResearchRun, ResearchStep
from apps.research.runs.limits import MOMENTARY_SECONDS
from apps.retrieval.kept.reading import from_json
from apps.retrieval.kept.sealing import SealedText, seal_for, unseal
from apps.retrieval.serialise import to_json
from apps.tenants.ids import TenantId

_KEY: Final = "research:{tenant}:{run}"
_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_DOMAIN: Final = b"glassbox.research.v1"
ContentT = TypeVar("ContentT")


class Sealer:
    """Seals and opens what one run says.

    Args: kept: whether the policy keeps texts.
    """

    def __init__(self, *, tenant: TenantId, run_id: UUID, kept: bool) -> None:
        self._tenant, self._run_id, self._kept = tenant, run_id, kept

    @classmethod
    def of(cls, run: ResearchRun) -> Sealer:
        return cls(tenant=TenantId(run.tenant_id), run_id=run.id, kept=run.data_key_id is not None)

    def make_key(self, seconds: int = MOMENTARY_SECONDS) -> None:
        """Make the key for minutes, where texts are not kept. Call it before anything is sealed. Raises: RedisError."""
        if not self._kept:
            cache.set(self._name, secrets.token_bytes(_KEY_BYTES), timeout=seconds)

    def prolong(self, seconds: int = MOMENTARY_SECONDS) -> None:
        """Keep the key for so long from now. Raises: RedisError, RunError: it is gone."""
        if not self._kept and not cache.touch(self._name, timeout=seconds):
            raise RunError("research.texts_gone")

    def seal(self, row_id: UUID, content: object) -> SealedText:
        """Raises: RedisError, RunError: the key for minutes is gone."""
        raw = json.dumps(to_json(content), ensure_ascii=False).encode()
        if self._kept:
            return seal_for(row_id, raw, tenant=self._tenant, part=_DOMAIN)
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return SealedText(
            data_key_id=_NO_KEY, ciphertext=nonce + self._cipher().encrypt(nonce, raw, self._place(row_id))
        )

    def open(self, wanted: type[ContentT], row: ResearchRun | ResearchStep) -> ContentT:
        """Return what is sealed with a row. Raises: RedisError, PayloadDamagedError, RunError: its key is gone."""
        sealed = bytes(row.sealed or b"")
        if row.data_key_id is not None:
            text = SealedText(data_key_id=row.data_key_id, ciphertext=sealed)
            return from_json(wanted, json.loads(unseal(row.id, text, tenant=self._tenant, part=_DOMAIN)))
        nonce, ciphertext = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
        try:
            return from_json(wanted, json.loads(self._cipher().decrypt(nonce, ciphertext, self._place(row.id))))
        except (InvalidTag, ValueError):
            raise PayloadDamagedError(group="research", event=row.id, problem="it is not what was sealed") from None

    @property
    def _name(self) -> str:
        return _KEY.format(tenant=self._tenant, run=self._run_id)

    def _cipher(self) -> AESGCM:
        key: Any = cache.get(self._name)
        if not isinstance(key, bytes):
            raise RunError("research.texts_gone")
        return AESGCM(key)

    def _place(self, row_id: UUID) -> bytes:
        return b"\0".join((_DOMAIN, self._tenant.bytes, self._run_id.bytes, row_id.bytes))


_NO_KEY: Final = UUID(int=0)


def columns_of(sealed: SealedText) -> dict[str, Any]:
    """Return the columns of a row that hold what was sealed."""
    return {
        "data_key_id": None if sealed.data_key_id == _NO_KEY else sealed.data_key_id,
        "sealed": sealed.ciphertext,
    }
