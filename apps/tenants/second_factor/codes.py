"""Setting a second factor up, and using it: each code is taken once, and a wrong one is counted."""

from __future__ import annotations

import hmac
import secrets
import time
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from django.db import transaction
from django.utils import timezone

from apps.tenants.attempts import factor_tried, factor_used
from apps.tenants.context import current_scope, open_identity, open_scope
from apps.tenants.errors import FactorThereError, NoFactorError, WrongCodeError
from apps.tenants.events import emit
from apps.tenants.ids import UserId
from apps.tenants.links import digest_of
from apps.tenants.models import RecoveryCode, SecondFactor, User
from apps.tenants.second_factor.sealing import seal, unseal
from apps.tenants.tokens import Identity

_STEP_SECONDS: Final = 30
_DIGITS: Final = 6
# A clock that goes wrong by less than a minute is let pass.
_STEPS_AWAY: Final = 1
_SECRET_BYTES: Final = 20
_RECOVERY_CODES: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolment:
    """What an authenticator app is given: as an address that a QR code holds, and as text to type."""

    address: str
    text: str


def has_factor(user: User) -> bool:
    with open_identity(Identity(user=UserId(user.id))):
        return SecondFactor.objects.filter(user_id=user.id, confirmed_at__isnull=False).exists()


def factor_mark(user: User) -> str:
    """Tells this factor of an account from one that it has later; empty where it has none."""
    with open_identity(Identity(user=UserId(user.id))):
        factors = SecondFactor.objects.filter(user_id=user.id, confirmed_at__isnull=False)
        made = factors.values_list("created_at", flat=True).first()
    return made.isoformat() if made else ""


def recovery_codes_left(user: User) -> int:
    with open_identity(Identity(user=UserId(user.id))):
        return RecoveryCode.objects.filter(user_id=user.id, used_at__isnull=True).count()


def factor_begin(user: User) -> None:
    """Make a new secret, which counts once a code of it was entered. Raises: FactorThereError."""
    if has_factor(user):
        raise FactorThereError
    with open_identity(Identity(user=UserId(user.id))):
        SecondFactor.objects.filter(user_id=user.id, confirmed_at__isnull=True).delete()
        sealed = seal(secrets.token_bytes(_SECRET_BYTES), user_id=_id(user))
        SecondFactor.objects.create(user_id=user.id, sealed=sealed)


def enrolment_of(user: User) -> Enrolment | None:
    """Of a secret that no code was entered of yet; None where there is none. It is never shown afterwards."""
    with open_identity(Identity(user=UserId(user.id))):
        factor = SecondFactor.objects.filter(user_id=user.id, confirmed_at__isnull=True).first()
    if factor is None:
        return None
    address = _totp(factor).get_provisioning_uri(user.username, "Glassbox")
    text = address.partition("secret=")[2].partition("&")[0]
    return Enrolment(address=address, text=" ".join(text[i : i + 4] for i in range(0, len(text), 4)))


def factor_confirm(user: User, *, code: str) -> tuple[str, ...]:
    """Enter the first code of a new secret. Returns: the recovery codes, which can't be shown again.

    Raises: NoFactorError: none was begun. WrongCodeError, TooManyCodesError.
    """
    with transaction.atomic(), open_identity(Identity(user=UserId(user.id))):
        factor = SecondFactor.objects.filter(user_id=user.id, confirmed_at__isnull=True).first()
        if factor is None:
            raise NoFactorError
        _take(user, factor, code)
        scope = current_scope()
        used = replace(scope.principal, stepped_up=True)
        # A code was just entered: the database asks for that of whoever makes recovery codes.
        with open_scope(tenant=scope.tenant_id, scopes=scope.scope_ids, principal=used):
            codes = _new_recovery_codes(user)
        _record("tenants.factor.set_up", user)
    return codes


def factor_use(user: User, *, code: str) -> None:
    """Take a code of the app, or a recovery code. Each is taken once.

    Raises: NoFactorError, WrongCodeError; TooManyCodesError: nobody looks at it.
    """
    with transaction.atomic(), open_identity(Identity(user=UserId(user.id))):
        factor = SecondFactor.objects.filter(user_id=user.id, confirmed_at__isnull=False).first()
        if factor is None:
            raise NoFactorError
        typed = "".join(code.split())
        if len(typed) == _DIGITS:
            _take(user, factor, typed)
            _record("tenants.factor.used", user, recovery_code=False)
        else:
            _take_recovery(user, typed)
            _record("tenants.factor.used", user, recovery_code=True)


def recovery_codes_renew(user: User) -> tuple[str, ...]:
    """Make new recovery codes; the ones before work no more. For a session that has just used its factor."""
    with transaction.atomic(), open_identity(Identity(user=UserId(user.id))):
        codes = _new_recovery_codes(user)
        _record("tenants.factor.recovery_codes_made", user)
    return codes


def factor_remove(user: User) -> None:
    """Take a factor away, to set up another one: by its person right after using it, or after two others agreed."""
    with transaction.atomic(), open_identity(Identity(user=UserId(user.id))):
        RecoveryCode.objects.filter(user_id=user.id).delete()
        SecondFactor.objects.filter(user_id=user.id).delete()
        _record("tenants.factor.removed", user)


def _take(user: User, factor: SecondFactor, code: str) -> None:
    limits = factor_tried(user_id=_id(user))
    step = _step_of(factor, "".join(code.split()))
    # The database takes no step twice: of two at once with the same code, one finds nothing to change.
    taken = step is not None and SecondFactor.objects.filter(user_id=user.id, last_step__lt=step).update(
        last_step=step, confirmed_at=factor.confirmed_at or timezone.now()
    )
    if not taken:
        raise WrongCodeError
    factor_used(limits)


def _take_recovery(user: User, code: str) -> None:
    limits = factor_tried(user_id=_id(user))
    taken = RecoveryCode.objects.filter(
        user_id=user.id, code_sha256=digest_of(_plain(code)), used_at__isnull=True
    ).update(used_at=timezone.now())
    if not taken:
        raise WrongCodeError
    factor_used(limits)


def _step_of(factor: SecondFactor, code: str) -> int | None:
    """The time step that a code is of, among those that are near; None for a wrong one."""
    totp = _totp(factor)
    now = int(time.time()) // _STEP_SECONDS
    for step in range(now - _STEPS_AWAY, now + _STEPS_AWAY + 1):
        if hmac.compare_digest(totp.generate(step * _STEP_SECONDS), code.encode()):
            return step
    return None


def _totp(factor: SecondFactor) -> TOTP:
    secret = unseal(bytes(factor.sealed), user_id=UUID(str(factor.user_id)))
    # What every authenticator app speaks: RFC 6238 with its defaults.
    return TOTP(secret, _DIGITS, SHA1(), _STEP_SECONDS)  # noqa: S303


def _new_recovery_codes(user: User) -> tuple[str, ...]:
    RecoveryCode.objects.filter(user_id=user.id).delete()
    codes = tuple("-".join(secrets.token_hex(2) for _ in range(4)) for _ in range(_RECOVERY_CODES))
    for code in codes:
        RecoveryCode.objects.create(user_id=user.id, code_sha256=digest_of(_plain(code)))
    return codes


def _plain(code: str) -> str:
    return code.replace("-", "").lower()


def _id(user: User) -> UUID:
    return UUID(str(user.id))


def _record(action: str, user: User, **core: object) -> None:
    current_scope()
    emit(action=action, core={"user_id": str(user.id), **core}, subject_type="user", subject_id=_id(user))
