"""Find the members and API keys that a typed name may mean, past ones included.

An account without a confirmed membership in the open tenant is never found, whatever its name is elsewhere. The typed
name is compared and then forgotten.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import BooleanField, Func, Q, Value
from django.utils import timezone

from apps.intents.access.contracts import Candidate
from apps.intents.access.facts import KEY_MARK
from apps.intents.access.names import Words, addresses, folded, is_initials, is_part, is_whole, likeness, words
from apps.tenants.ids import UserId
from apps.tenants.models import ApiKey, Membership, User
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Role

_MOST_NEAREST: Final = 5
# Of a word of six letters, a name with one wrong letter is as alike as 83, and one with two is as alike as 67.
_LEAST_LIKENESS: Final = 75.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A member, past or present. names: the words of the full name, and those of the user name."""

    id: UserId
    candidate: Candidate
    names: tuple[Words, Words]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedKey:
    """An API key, ended or not. names: the words of its name."""

    id: UUID
    candidate: Candidate
    names: tuple[Words]


def members() -> tuple[Member, ...]:
    """Return everybody who ever had a confirmed membership in the open tenant, by their names. One query."""
    held: dict[UUID, set[Role]] = defaultdict(set)
    called: dict[UUID, tuple[str, str]] = {}
    rows = Membership.objects.filter(confirmed_at__isnull=False).values_list(
        "user_id", "user__username", "user__first_name", "user__last_name", "role", "revoked_at"
    )
    for user_id, name, first_name, last_name, role, revoked_at in rows:
        called[user_id] = (name, f"{first_name} {last_name}".strip())
        if revoked_at is None:
            held[user_id].add(Role(role))
    found = (
        Member(
            id=UserId(user_id),
            candidate=Candidate(
                name=name,
                label=full_name or name,
                roles=tuple(role for role in Role if role in held[user_id]),
            ),
            names=(words(full_name), words(name)),
        )
        for user_id, (name, full_name) in called.items()
    )
    return tuple(sorted(found, key=lambda member: (folded(member.candidate.label), member.candidate.name)))


def keys() -> tuple[NamedKey, ...]:
    """Return every API key that the open tenant ever had, by name. One query."""
    now = timezone.now()
    rows = ApiKey.objects.order_by("name", "created_at").values_list(
        "id", "name", "prefix", "role", "revoked_at", "expires_at"
    )
    return tuple(
        NamedKey(
            id=key_id,
            candidate=Candidate(
                name=f"{KEY_MARK}{prefix}",
                label=name,
                roles=() if revoked_at or (expires_at and expires_at <= now) else (Role(role),),
                kind=PrincipalKind.API_KEY,
            ),
            names=(words(name),),
        )
        for key_id, name, prefix, role, revoked_at, expires_at in rows
    )


def keys_meant(typed: str, among: tuple[NamedKey, ...], *, in_part: bool) -> tuple[NamedKey, ...]:
    """Return the keys that a typed name may mean: by the whole name, or else, if wanted, by a part of it."""
    asked = words(typed)
    whole = tuple(each for each in among if asked and is_whole(asked, each.names[0]))
    if whole or not in_part or "@" in typed:
        return whole
    return tuple(each for each in among if is_part(asked, each.names[0]))


def meant(typed: str, among: tuple[Member, ...]) -> tuple[Member, ...]:
    """Return the members whom a typed name may mean.

    A whole name of several words, or a whole address, wins over parts of names. An address is never compared in part.
    Costs: one query for an address that is nobody's user name.
    """
    if "@" in typed:
        return _by_user_name(typed, among) or tuple(_by_mailbox(typed, among))
    asked = words(typed)
    whole = tuple(each for each in among if any(is_whole(asked, name) for name in each.names)) if len(asked) > 1 else ()
    return whole or tuple(
        each for each in among if any(is_part(asked, name) or is_initials(asked, name) for name in each.names)
    )


def nearest(typed: str, among: tuple[Member, ...]) -> tuple[Candidate, ...]:
    """Return the members whose names are most like a typed one, best first; none where no name is like it.

    Of names that are equally alike, one with as many words as were typed comes first.
    """
    asked = words(typed)
    scores = [
        (max((likeness(asked, name), -abs(len(name) - len(asked))) for name in each.names), each.candidate)
        for each in among
    ]
    alike = (each for each in scores if each[0][0] >= _LEAST_LIKENESS)
    best = sorted(alike, key=lambda each: each[0], reverse=True)
    return tuple(candidate for _, candidate in best[:_MOST_NEAREST])


def _by_user_name(typed: str, among: tuple[Member, ...]) -> tuple[Member, ...]:
    return tuple(each for each in among if folded(each.candidate.name) == folded(typed))


def _by_mailbox(typed: str, among: tuple[Member, ...]) -> Iterator[Member]:
    """Yield the members whose account has this mailbox.

    The database tells of no account which mailbox it has, only whether it has a given one.
    """
    has_one = Q()
    for address in addresses(typed):
        has_one |= Q(Func("id", Value(address), function="tenants_has_mailbox", output_field=BooleanField()))
    if not has_one:
        return
    ids = {each.id for each in among}
    having = set(User.objects.filter(has_one, id__in=ids).values_list("id", flat=True))
    yield from (each for each in among if each.id in having)
