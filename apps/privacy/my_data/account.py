"""Categories of the package about the account and its rights in the open tenant: memberships, grants, keys."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import Q

from apps.privacy.my_data.contracts import (
    ANOTHER_PERSON,
    YOU,
    Category,
    Entry,
    Page,
    Person,
)
from apps.tenants.models import ApiKey, Grant, Membership, Scope, User
from apps.tenants.roles import Role

_ACCESS_PURPOSE: Final = (
    "To let only people who are entitled work with the firm's documents, and to show who was entitled."
)
_ACCESS_BASIS: Final = "6(1)(c) legal obligation: security of processing (Article 32) and accountability (5(2))"
_ACCESS_RETENTION: Final = (
    "As long as the account belongs to the firm, with the end dates of ended roles and grants, so that the firm can "
    "show later who could reach what on a given day. When the account is erased, its name, address and password are "
    "removed, and what is left names nobody."
)
_OF_THE_FIRM: Final = "The firm's administrators, who gave you access; times come from the system."
# Shown for a grant whose scope the person can't see any more.
_OUT_OF_REACH: Final = "a scope that you can no longer reach"


def at(moment: datetime | None) -> str | None:
    """Format a time for a package."""
    return None if moment is None else moment.isoformat(timespec="seconds")


def _account(person: Person, after: object | None) -> Page:
    user: User = User.objects.get(id=person.id)
    return Page(
        entries=[
            {
                "id": str(user.id),
                "username": user.username,
                "first_name": user.first_name,
                "last_name": user.last_name,
                "email": user.email,
                "password": "kept as a slow hash" if user.has_usable_password() else "none",
                "is_active": user.is_active,
                "is_staff": user.is_staff,
                "is_superuser": user.is_superuser,
                "date_joined": at(user.date_joined),
                "last_login": at(user.last_login),
            }
        ]
    )


def _memberships(person: Person, after: object | None) -> Page:
    return Page(
        entries=[
            {
                "id": str(row.id),
                "role": str(Role(row.role).label),
                "from": at(row.created_at),
                "accepted_at": at(row.accepted_at),
                "in_force_from": at(row.confirmed_at),
                "to": at(row.revoked_at),
                "invited_by": _who(row.created_by_id, person) or "the platform's operator",
                "confirmed_by": _who(row.confirmed_by_id, person),
            }
            for row in Membership.objects.filter(user_id=person.id).order_by("created_at", "id")
        ]
    )


def _who(id: UUID | None, person: Person) -> str | None:
    """Return who an id means, for the reader of the package; None where the row names nobody."""
    if id is None:
        return None
    return YOU if person.is_meant(id) else ANOTHER_PERSON


def _grants(person: Person, after: object | None) -> Page:
    rows = list(
        Grant.objects.filter(Q(membership_id__in=person.memberships) | Q(api_key_id__in=person.keys)).order_by(
            "valid_from", "id"
        )
    )
    scopes = {
        scope.id: f"{scope.name} ({scope.key})" for scope in Scope.objects.filter(id__in={r.scope_id for r in rows})
    }
    return Page(
        entries=[
            {
                "scope": scopes.get(row.scope_id, _OUT_OF_REACH),
                "scope_id": str(row.scope_id),
                "through": "your membership" if row.membership_id else "a key of yours",
                "holder_id": str(row.membership_id or row.api_key_id),
                "from": at(row.valid_from),
                "to": at(row.valid_to),
            }
            for row in rows
        ]
    )


def _keys(person: Person, after: object | None) -> Page:
    rows = ApiKey.objects.filter(Q(person_id=person.id) | Q(created_by_id=person.id)).order_by("created_at", "id")
    return Page(entries=[_key(row, own=row.person_id == person.id) for row in rows])


def _key(row: ApiKey, *, own: bool) -> Entry:
    return {
        "id": str(row.id),
        "kind": "acts for you" if own else "a program's, made by you",
        # The name of a program's key may be the name of the person who works with the program.
        "name": row.name if own else None,
        "begins_with": f"gbx_{row.prefix}" if own else None,
        "role": str(Role(row.role).label),
        "created_at": at(row.created_at),
        "expires_at": at(row.expires_at),
        "last_used_at": at(row.last_used_at) if own else None,
        "revoked_at": at(row.revoked_at),
    }


ACCOUNT: Final = Category(
    key="account",
    title="Your account",
    about="The account that you sign in with. It belongs to this installation; other firms may use it as well.",
    purpose="To know who signs in, and to keep others out.",
    legal_basis="6(1)(b) or (f): your work for the firm",
    source="You, and the administrator who made the account.",
    retention="Until you no longer belong to any firm here and the account is erased.",
    fields={
        "username": "User name",
        "first_name": "First name",
        "last_name": "Last name",
        "email": "E-mail",
        "password": "Password",
        "is_active": "May sign in",
        "is_staff": "May use this site",
        "is_superuser": "Administers the installation",
        "date_joined": "Since",
        "last_login": "Signed in last",
        "id": "Id",
    },
    read=_account,
)
MEMBERSHIPS: Final = Category(
    key="memberships",
    title="Your roles in this firm",
    about="What you may do here now, and could do in the past. Ask other firms about your roles there.",
    purpose=_ACCESS_PURPOSE,
    legal_basis=_ACCESS_BASIS,
    source=_OF_THE_FIRM,
    retention=_ACCESS_RETENTION,
    fields={
        "role": "Role",
        "from": "From",
        "accepted_at": "Accepted",
        "in_force_from": "Gives rights from",
        "to": "To",
        "invited_by": "Invited by",
        "confirmed_by": "Confirmed by, if a second person had to",
        "id": "Id",
    },
    read=_memberships,
)
GRANTS: Final = Category(
    key="grants",
    title="What you reach",
    about="Which scopes you or your keys could reach, from when to when. A scope includes everything below it.",
    purpose=_ACCESS_PURPOSE,
    legal_basis=_ACCESS_BASIS,
    source=_OF_THE_FIRM,
    retention=_ACCESS_RETENTION,
    fields={
        "scope": "Scope",
        "through": "Through",
        "from": "From",
        "to": "To",
        "holder_id": "Id of the membership or key",
        "scope_id": "Id of the scope",
    },
    read=_grants,
)
KEYS: Final = Category(
    key="keys",
    title="Keys",
    about="Keys that act for you, and keys that you made for programs of the firm. The keys themselves are not stored.",
    purpose=_ACCESS_PURPOSE,
    legal_basis=_ACCESS_BASIS,
    source="You, when you made them; times come from the system.",
    retention=_ACCESS_RETENTION,
    fields={
        "kind": "Kind",
        "name": "Name",
        "begins_with": "Begins with",
        "role": "Role",
        "created_at": "Made",
        "expires_at": "Expires",
        "last_used_at": "Used last",
        "revoked_at": "Revoked",
        "id": "Id",
    },
    read=_keys,
)
