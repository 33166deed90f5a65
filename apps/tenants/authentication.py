"""Signing in, and what a signed-in person may do in the admin: their roles in the active tenant, nothing else."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser

from apps.tenants.ids import UserId
from apps.tenants.models import User


class MembershipBackend(ModelBackend):
    """Checks passwords as Django does. Grants no model permission: the admin asks the principal (admin/base.py)."""

    def get_user(self, user_id: Any) -> User | None:
        """The account that a session names, while it is active."""
        try:
            user = User.objects.get_by_id(UserId(User._meta.pk.to_python(user_id)))
        except User.DoesNotExist:
            return None
        return user if self.user_can_authenticate(user) else None

    def get_all_permissions(self, user_obj: AbstractBaseUser | AnonymousUser, obj: Any = None) -> set[str]:
        return set()

    def has_module_perms(self, user_obj: AbstractBaseUser | AnonymousUser, app_label: str) -> bool:
        return False
