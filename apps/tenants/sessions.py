"""Record sign-ins, sign-outs and failed sign-ins in the log of every tenant that the person belongs to.

A failed sign-in is recorded only after the answer was sent, so that the time of the answer does not reveal whether the
account exists and is a member.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.http import HttpRequest, HttpResponse

from apps.tenants.attempts import Limit
from apps.tenants.context import open_scope
from apps.tenants.errors import UnknownTenantError
from apps.tenants.events import emit
from apps.tenants.ids import UserId
from apps.tenants.models import User
from apps.tenants.selectors.grants import tenants_of_user, user_principal
from apps.tenants.selectors.people import user_by_name

logger = logging.getLogger("glassbox.tenants")

_FAILED_AS: Final = "sign_in_failed_as"


def connect() -> None:
    user_logged_in.connect(_logged_in, dispatch_uid="glassbox.login")
    user_logged_out.connect(_logged_out, dispatch_uid="glassbox.logout")
    user_login_failed.connect(_login_failed, dispatch_uid="glassbox.login_failed")


def _logged_in(sender: object, user: User, **kwargs: Any) -> None:
    _record("tenants.session.login", user, outcome="success")


def _logged_out(sender: object, user: User | None, **kwargs: Any) -> None:
    if isinstance(user, User):
        _record("tenants.session.logout", user, outcome="success")


def _login_failed(sender: object, credentials: dict[str, Any], request: HttpRequest | None, **kwargs: Any) -> None:
    username = str(credentials.get("username", ""))
    if request is not None and _FAILED_AS in request.__dict__:
        request.__dict__[_FAILED_AS] = username
    else:
        _record_failed(username)


def _record_failed(username: str) -> None:
    # A name without an account belongs to no tenant, and so no tenant's log records it.
    user = user_by_name(username)
    if user is not None:
        _record("tenants.session.login_failed", user, outcome="failed")


def sign_in_begins(request: HttpRequest) -> None:
    """Mark a sign-in before its password is checked, so that a failure is kept for record_after_answer."""
    request.__dict__[_FAILED_AS] = ""


def record_after_answer(request: HttpRequest, response: HttpResponse, username: str, limits: Iterable[Limit]) -> None:
    """Record a failed sign-in, and the limits that it used up, after the answer was sent."""

    def record() -> None:
        try:
            if request.__dict__[_FAILED_AS]:
                _record_failed(request.__dict__[_FAILED_AS])
            record_locked_out(username, limits)
        except Exception as error:  # noqa: BLE001 - Django drops what is raised here
            logger.critical("a sign-in that failed is not recorded: %s", type(error).__name__)

    # Django calls these once the last byte of the answer was sent.
    response._resource_closers.append(record)  # type: ignore[attr-defined]


def record_locked_out(username: str, limits: Iterable[Limit]) -> None:
    """Record, for each used-up limit, that sign-ins under this name are refused until the limit's window ends."""
    user = user_by_name(username)
    if user is None:
        return
    for limit in limits:
        _record(
            "tenants.session.locked_out",
            user,
            outcome="refused",
            limit=limit.of.value,
            failures=limit.most,
            seconds=settings.GLASSBOX_FAILURE_WINDOW_SECONDS,
        )


def _record(action: str, user: User, *, outcome: str, **core: object) -> None:
    for choice in tenants_of_user(UserId(user.id)):
        try:
            principal = user_principal(user, choice.id)
        except UnknownTenantError:
            continue
        with open_scope(tenant=choice.id, principal=principal):
            emit(
                action=action,
                core={"user_id": str(user.id), **core},
                outcome=outcome,
                subject_type="user",
                subject_id=user.id,
            )
