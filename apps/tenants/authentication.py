"""Sign-in. What a signed-in person may do in the admin follows only from their roles in the active tenant."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser

from apps.tenants.ids import UserId
from apps.tenants.models import User


class MembershipBackend(ModelBackend):
    """A backend that checks passwords as Django does, and grants no model permission.

    The admin asks the principal for permissions instead (admin/base.py).
    """

    def get_user(self, user_id: Any) -> User | None:
        """Return the account that a session names, if it is active."""
        try:
            user = User.objects.get_by_id(UserId(User._meta.pk.to_python(user_id)))
        except User.DoesNotExist:
            return None
        return user if self.user_can_authenticate(user) else None

    def get_all_permissions(self, user_obj: AbstractBaseUser | AnonymousUser, obj: Any = None) -> set[str]:
        return set()

    def has_module_perms(self, user_obj: AbstractBaseUser | AnonymousUser, app_label: str) -> bool:
        return False
