"""A person who signs in. Accounts belong to the platform; only memberships decide what their person may see."""

from __future__ import annotations

import unicodedata
from typing import Any, ClassVar

from asgiref.sync import sync_to_async
from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import AbstractUser
from django.contrib.auth.models import UserManager as DjangoUserManager
from django.db import models

from apps.tenants.context import open_identity, open_tenant_id
from apps.tenants.credentials import hash_keep, hash_of, is_stamp, new_stamp
from apps.tenants.ids import UserId
from apps.tenants.models.base import UuidV7
from apps.tenants.models.personal import personal
from apps.tenants.personal_data import Fields, PersonalData, Sort, reasons
from apps.tenants.tokens import Identity


class UserManager(DjangoUserManager["User"]):
    """A manager that finds any account by its name or id. Other queries see the members of the open scope's tenant."""

    @classmethod
    def normalize_email(cls, email: str | None) -> str:
        """Normalise an address by Unicode NFKC, like sign-in names, and then as Django does.

        Addresses that look alike are then equal.
        """
        return super().normalize_email(unicodedata.normalize("NFKC", email or ""))

    def get_by_natural_key(self, username: str | None) -> User:
        """Return the account of that name, as a sign-in needs it. Raises User.DoesNotExist."""
        with open_identity(Identity(username=username or "")):
            return super().get_by_natural_key(username)

    def get_by_id(self, user_id: UserId) -> User:
        """Return the account of that id. Raises User.DoesNotExist."""
        with open_identity(Identity(user=user_id)):
            return self.get(pk=user_id)


class User(AbstractUser):
    """An account.

    password: the hash until the account is saved, and a stamp afterwards (credentials.py).
    """

    id = models.UUIDField(primary_key=True, db_default=UuidV7(), editable=False)
    # These are None unless the transaction's token or identity lets the reader know this account.
    password = personal("password")
    last_login = personal("last_login")
    is_superuser = personal("is_superuser")
    email = personal("email")
    is_staff = personal("is_staff")
    date_joined = personal("date_joined")

    # When it was last made active after it was not. The database writes it (sql/opened_again.sql).
    opened_again_at = models.DateTimeField(null=True, editable=False)

    objects: ClassVar[UserManager] = UserManager()

    made_with_link = ""
    """Of an account that is being made: the digest of the invitation's link whose reader makes it."""

    personal_data = PersonalData(
        Fields(
            "is_active id is_superuser is_staff date_joined opened_again_at",
            Sort.NONE,
            because="An id, settings, and since when.",
        ),
        Fields("password", Sort.NONE, because="A stamp, random: the hash lies in tenants_credential."),
        Fields(
            "username first_name last_name last_login email",
            Sort.IDENTIFIER,
            because="The person.",
            cleared_by="tenants.access_accounts",
            stays=reasons.OTHER_TENANTS,
            shown_in="account",
        ),
    )

    class Meta(AbstractUser.Meta):
        pass

    def __str__(self) -> str:
        return self.get_full_name() or self.username

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save the account, and its password's hash apart from it (credentials.py).

        Django itself saves accounts at a sign-in: the last login, and a password that is hashed again more strongly.
        """
        known = None if self._state.adding else UserId(self.id)
        fields = kwargs.get("update_fields")
        hashed = "" if is_stamp(self.password) or (fields is not None and "password" not in fields) else self.password
        if hashed:
            self.password = new_stamp()
        try:
            # founds: a command of the platform's operator makes the account, since no scope is open and no invitation's
            # link is used. all_accounts: a new superuser is added with the identity that may see every account.
            identity = Identity(
                user=known,
                username=self.username,
                link=self.made_with_link,
                founds=known is None and not self.made_with_link and open_tenant_id() is None,
                all_accounts=self._state.adding and self.is_superuser,
            )
            with open_identity(identity):
                super().save(*args, **kwargs)
                if hashed:
                    hash_keep(self.id, hashed)
        except BaseException:
            # Put the hash back, so that a second attempt to save does not store a stamp without its hash.
            self.password = hashed or self.password
            raise

    def check_password(self, raw_password: str | None) -> bool:
        """Check a password as Django does, with the hash from where it is kept (credentials.py)."""
        hashed = self.password if self._state.adding or not is_stamp(self.password) else hash_of(self.id)

        def strengthen(raw_password: str) -> None:
            self.set_password(raw_password)
            # A stronger hash of the same password is not a change of the password.
            self._password = None
            self.save(update_fields=["password"])

        return check_password(raw_password, hashed, strengthen)

    async def acheck_password(self, raw_password: str | None) -> bool:
        return await sync_to_async(self.check_password)(raw_password)
