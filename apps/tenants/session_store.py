"""A store for Django's sessions with row-level security. A transaction reaches only the session whose key it was sent.

The setting SESSION_ENGINE names this module. The rows are in tenants_session, which has the policies and finds a
session by the digest of its key; Django's own session table is not used.
"""

from __future__ import annotations

import hashlib
from typing import Any

from django.contrib.sessions.backends.base import CreateError, SessionBase, UpdateError
from django.db import IntegrityError
from django.utils import timezone

from apps.tenants.context import open_identity
from apps.tenants.models import Session
from apps.tenants.tokens import Identity


class SessionStore(SessionBase):
    def load(self) -> dict[str, Any]:
        if self.session_key is None:
            return {}
        digest = _digest(self.session_key)
        with open_identity(Identity(session=digest)):
            found = Session.objects.filter(key_sha256=digest, expires_at__gt=timezone.now()).first()
        if found is None:
            # Do not adopt a key that this store did not make, or whose session has ended.
            self._session_key = None
            return {}
        content: dict[str, Any] = self.decode(found.content)
        return content

    def exists(self, session_key: str) -> bool:
        digest = _digest(session_key)
        with open_identity(Identity(session=digest)):
            return Session.objects.filter(key_sha256=digest).exists()

    def create(self) -> None:
        while True:
            self._session_key = self._get_new_session_key()  # type: ignore[attr-defined]
            try:
                self.save(must_create=True)
            except CreateError:
                continue
            self.modified = True
            return

    def save(self, must_create: bool = False) -> None:
        """Save the session. Raises CreateError if the key is taken, UpdateError if the session was ended meanwhile."""
        if self.session_key is None:
            self.create()
            return
        digest = _digest(self.session_key)
        values = {
            "content": self.encode(self._get_session(no_load=must_create)),  # type: ignore[attr-defined]
            "expires_at": self.get_expiry_date(),
        }
        with open_identity(Identity(session=digest)):
            if not must_create:
                if not Session.objects.filter(key_sha256=digest).update(**values):
                    raise UpdateError
                return
            try:
                Session.objects.create(key_sha256=digest, **values)
            except IntegrityError as error:
                raise CreateError from error

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key is not None:
            digest = _digest(key)
            with open_identity(Identity(session=digest)):
                Session.objects.filter(key_sha256=digest).delete()

    @classmethod
    def clear_expired(cls) -> None:
        """Remove the sessions that have ended. `manage.py clearsessions` and the hourly task call this."""
        with open_identity(Identity(ended_sessions=True)):
            Session.objects.filter(expires_at__lte=timezone.now()).delete()


def _digest(session_key: str) -> str:
    # 160 random bits need no slow hash.
    return hashlib.sha256(session_key.encode()).hexdigest()
