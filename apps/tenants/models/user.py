"""A person who signs in. Users are of the platform; what they may see comes from their memberships alone."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser
from django.contrib.auth.models import UserManager as DjangoUserManager
from django.db import models

from apps.tenants.context import open_identity
from apps.tenants.ids import UserId
from apps.tenants.models.base import UuidV7
from apps.tenants.tokens import Identity


class UserManager(DjangoUserManager["User"]):
    """Within a scope the database shows the members of its tenant; any other account is found by its name or id."""

    def get_by_natural_key(self, username: str | None) -> User:
        """By name, as a sign-in does. Raises User.DoesNotExist."""
        with open_identity(Identity(username=username or "")):
            return super().get_by_natural_key(username)

    def get_by_id(self, user_id: UserId) -> User:
        """Raises User.DoesNotExist."""
        with open_identity(Identity(user=user_id)):
            return self.get(pk=user_id)


class User(AbstractUser):
    id = models.UUIDField(primary_key=True, db_default=UuidV7(), editable=False)

    objects: ClassVar[UserManager] = UserManager()

    class Meta(AbstractUser.Meta):
        pass

    def __str__(self) -> str:
        return self.get_full_name() or self.username

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Django itself saves accounts at a sign-in: the last login, a password whose hashing has become stronger."""
        known = None if self._state.adding else UserId(self.id)
        with open_identity(Identity(user=known, username=self.username)):
            super().save(*args, **kwargs)
