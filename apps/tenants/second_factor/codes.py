"""Set up a second factor, and use it. Each code is accepted once, and wrong codes are counted."""

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
from apps.tenants.errors import SecondFactorError
from apps.tenants.events import emit
from apps.tenants.ids import UserId
from apps.tenants.links import digest_of
from apps.tenants.models import RecoveryCode, SecondFactor, User
from apps.tenants.second_factor.sealing import seal, unseal
from apps.tenants.tokens import Identity

_STEP_SECONDS: Final = 30
_DIGITS: Final = 6
# Accept codes of the neighbouring time steps, so that a device's clock may be slightly wrong.
_STEPS_AWAY: Final = 1
_SECRET_BYTES: Final = 20
_RECOVERY_CODES: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolment:
    """A new secret for an authenticator app: as an address for a QR code, and as text to type."""

    address: str
    text: str


def has_factor(user: User) -> bool:
    with open_identity(Identity(user=UserId(user.id))):
        return SecondFactor.objects.filter(user_id=user.id, confirmed_at__isnull=False).exists()


def factor_mark(user: User) -> str:
    """Return a text that distinguishes the account's present factor from a later one; empty if it has none."""
    with open_identity(Identity(user=UserId(user.id))):
        factors = SecondFactor.objects.filter(user_id=user.id, confirmed_at__isnull=False)
        made = factors.values_list("created_at", flat=True).first()
    return made.isoformat() if made else ""


def recovery_codes_left(user: User) -> int:
    with open_identity(Identity(user=UserId(user.id))):
        return RecoveryCode.objects.filter(user_id=user.id, used_at__isnull=True).count()


def factor_begin(user: User) -> None:
    """Make a new secret, which becomes the second factor once a code of it was entered.

    Raises: SecondFactorError: there is one already.
    """
    if has_factor(user):
        raise SecondFactorError("tenants.second_factor_there")
    with open_identity(Identity(user=UserId(user.id))):
        SecondFactor.objects.filter(user_id=user.id, confirmed_at__isnull=True).delete()
        sealed = seal(secrets.token_bytes(_SECRET_BYTES), user_id=_id(user))
        SecondFactor.objects.create(user_id=user.id, sealed=sealed)


def enrolment_of(user: User) -> Enrolment | None:
    """Return the secret that is being set up; None if there is none. Once a code was entered, it is not shown again."""
    with open_identity(Identity(user=UserId(user.id))):
        factor = SecondFactor.objects.filter(user_id=user.id, confirmed_at__isnull=True).first()
    if factor is None:
        return None
    address = _totp(factor).get_provisioning_uri(user.username, "Glassbox")
    text = address.partition("secret=")[2].partition("&")[0]
    return Enrolment(address=address, text=" ".join(text[i : i + 4] for i in range(0, len(text), 4)))


def factor_confirm(user: User, *, code: str) -> tuple[str, ...]:
    """Confirm a new secret with its first code, and return the recovery codes, which can't be shown again.

    Raises: SecondFactorError: no secret is being set up, or the code is wrong. TooManyCodesError.
    """
    with transaction.atomic(), open_identity(Identity(user=UserId(user.id))):
        factor = SecondFactor.objects.filter(user_id=user.id, confirmed_at__isnull=True).first()
        if factor is None:
            raise SecondFactorError("tenants.no_second_factor")
        _take(user, factor, code)
        scope = current_scope()
        used = replace(scope.principal, stepped_up=True)
        # The database lets only a principal who has just used the second factor make recovery codes.
        with open_scope(tenant=scope.tenant_id, scopes=scope.scope_ids, principal=used):
            codes = _new_recovery_codes(user)
        _record("tenants.factor.set_up", user)
    return codes


def factor_use(user: User, *, code: str) -> None:
    """Accept a code of the app, or a recovery code. Each is accepted once.

    Raises: SecondFactorError: there is none, or the code is wrong. TooManyCodesError: the code was not checked.
    """
    with transaction.atomic(), open_identity(Identity(user=UserId(user.id))):
        factor = SecondFactor.objects.filter(user_id=user.id, confirmed_at__isnull=False).first()
        if factor is None:
            raise SecondFactorError("tenants.no_second_factor")
        typed = "".join(code.split())
        if len(typed) == _DIGITS:
            _take(user, factor, typed)
            _record("tenants.factor.used", user, recovery_code=False)
        else:
            _take_recovery(user, typed)
            _record("tenants.factor.used", user, recovery_code=True)


def recovery_codes_renew(user: User) -> tuple[str, ...]:
    """Replace the recovery codes, for a session that has just used its factor. The previous codes stop working."""
    with transaction.atomic(), open_identity(Identity(user=UserId(user.id))):
        codes = _new_recovery_codes(user)
        _record("tenants.factor.recovery_codes_made", user)
    return codes


def factor_remove(user: User) -> None:
    """Remove a factor, so that its person can set up another one.

    The database allows it to the person right after they used the factor, and after two other people agreed.
    """
    with transaction.atomic(), open_identity(Identity(user=UserId(user.id))):
        RecoveryCode.objects.filter(user_id=user.id).delete()
        SecondFactor.objects.filter(user_id=user.id).delete()
        _record("tenants.factor.removed", user)


def _take(user: User, factor: SecondFactor, code: str) -> None:
    limits = factor_tried(user_id=_id(user))
    step = _step_of(factor, "".join(code.split()))
    # The database accepts no step twice: of two requests with the same code at once, the second updates no row.
    taken = step is not None and SecondFactor.objects.filter(user_id=user.id, last_step__lt=step).update(
        last_step=step, confirmed_at=factor.confirmed_at or timezone.now()
    )
    if not taken:
        raise SecondFactorError("tenants.wrong_code")
    factor_used(limits)


def _take_recovery(user: User, code: str) -> None:
    limits = factor_tried(user_id=_id(user))
    taken = RecoveryCode.objects.filter(
        user_id=user.id, code_sha256=digest_of(_plain(code)), used_at__isnull=True
    ).update(used_at=timezone.now())
    if not taken:
        raise SecondFactorError("tenants.wrong_code")
    factor_used(limits)


def _step_of(factor: SecondFactor, code: str) -> int | None:
    """Return the time step of a code, among the steps close to now; None for a wrong code."""
    totp = _totp(factor)
    now = int(time.time()) // _STEP_SECONDS
    for step in range(now - _STEPS_AWAY, now + _STEPS_AWAY + 1):
        if hmac.compare_digest(totp.generate(step * _STEP_SECONDS), code.encode()):
            return step
    return None


def _totp(factor: SecondFactor) -> TOTP:
    secret = unseal(bytes(factor.sealed), user_id=UUID(str(factor.user_id)))
    # Every authenticator app supports RFC 6238 with its defaults.
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
