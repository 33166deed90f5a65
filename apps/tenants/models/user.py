"""A person who signs in. Users are of the platform; what they may see comes from their memberships alone."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models

from apps.tenants.models.base import UuidV7


class User(AbstractUser):
    id = models.UUIDField(primary_key=True, db_default=UuidV7(), editable=False)

    class Meta(AbstractUser.Meta):
        pass

    def __str__(self) -> str:
        return self.get_full_name() or self.username
