"""A browser's session. The table holds only the digest of the session key: a reader of the table can't use it."""

from __future__ import annotations

from django.db import models

from apps.tenants.personal_data import Fields, PersonalData, Sort


class Session(models.Model):
    key_sha256 = models.CharField(max_length=64, primary_key=True)
    content = models.TextField(help_text="Signed by the application.")
    expires_at = models.DateTimeField(db_index=True)

    personal_data = PersonalData(
        Fields("key_sha256 expires_at", Sort.NONE, because="A digest of random bits, a time."),
        Fields(
            "content",
            Sort.SEALED,
            because="Who is signed in, signed. Nobody can tell from the table whose a session is.",
            stays="Eight hours, and the hour until it is swept: it ends with the account's password.",
            unsearched="Who is signed in, under a key that the browser has: it ends within eight hours.",
            withheld=(
                "Sessions: they are stored under a key that only the browser has, so nobody can tell whose session "
                "it is."
            ),
        ),
    )

    def __str__(self) -> str:
        return f"until {self.expires_at:%Y-%m-%d %H:%M} UTC"
