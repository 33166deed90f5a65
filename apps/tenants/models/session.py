"""A browser's session. The table holds only the digest of the session key: a reader of the table can't use it."""

from __future__ import annotations

from django.db import models


class Session(models.Model):
    key_sha256 = models.CharField(max_length=64, primary_key=True)
    content = models.TextField(help_text="Signed by the application.")
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"until {self.expires_at:%Y-%m-%d %H:%M} UTC"
