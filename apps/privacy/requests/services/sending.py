"""Send letters from their rows. No letter is lost, since its row waits until it is sent; none is knowingly sent twice.

The worker claims the row and commits the claim, then passes the letter to the mail server, then notes the result in the
row. A letter that the server is known not to have accepted is tried again. Where nobody can know (the process died, or
the connection broke in the middle), the letter waits for a person, who looks into the mail server's log.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta
from smtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException, SMTPServerDisconnected
from typing import Final
from uuid import UUID

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.utils import timezone

from apps.audit.models import Outcome
from apps.privacy.codes.requests import LetterState
from apps.privacy.models import Letter
from apps.privacy.requests.details import LetterText, letter_text
from apps.privacy.requests.events import tell_letter
from apps.privacy.requests.services.forgetting import forget_once_told
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.sweeping import Sweep, each_by_itself, each_tenant
from apps.tenants.waits import is_past

logger = logging.getLogger("glassbox.audit")

_REASON: Final = "send letters about erasure requests"
# After this many attempts, which take about a day in all, the letter is marked as failed, for a person to deal with.
MAX_ATTEMPTS: Final = 8
_DELAYS_MIN: Final = (1, 5, 15, 60, 120, 300, 600)
# Longer than a mail server may take (EMAIL_TIMEOUT): a process whose claim is older than this is dead.
_CLAIM_ENDS_AFTER: Final = timedelta(minutes=10)
_CONSOLE: Final = "django.core.mail.backends.console.EmailBackend"
NO_SERVER: Final = "no_mail_server"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt:
    """The result of an attempt to send. problem: a code, never the server's message, which may quote the address."""

    state: LetterState
    problem: str = ""


def can_send() -> bool:
    """Return whether a mail server is configured. Without one, Django would print the letter into a log."""
    return str(settings.EMAIL_BACKEND) != _CONSOLE


def letters_sweep() -> int:
    """Send every tenant's due letters, and mark those whose sender died as uncertain. Returns: how many were sent."""
    return each_tenant(_sweep, doing=Sweep.LETTERS)


def _sweep(tenant: TenantId) -> int:
    with open_scope(tenant=tenant, reason=_REASON):
        _give_up_lost()
        due = Letter.objects.filter(is_past("next_try_at", timezone.now()), state=LetterState.WAITING)
        ids = list(due.order_by("next_try_at").values_list("id", flat=True)[:100])
    return each_by_itself(
        ids,
        lambda id: letter_send(tenant_id=tenant, letter_id=id) is LetterState.SENT,
        doing="send a letter that is due",
    )


def letter_send(*, tenant_id: TenantId, letter_id: UUID) -> LetterState | None:
    """Send a letter, if it is due and no other process is sending it.

    Returns: its state after the attempt; None where there was nothing to do.
    """
    with open_scope(tenant=tenant_id, reason=_REASON):
        letter = _claimed(letter_id)
        text = letter_text(letter) if letter is not None else None
    if letter is None:
        return None
    attempt = _sent(text) if text is not None else _Attempt(state=LetterState.FAILED, problem="key_destroyed")
    with open_scope(tenant=tenant_id, reason=_REASON):
        return _noted(letter, attempt)


def _claimed(letter_id: UUID) -> Letter | None:
    rows = Letter.objects.select_for_update(no_key=True, skip_locked=True, of=("self",)).select_related("request")
    letter: Letter | None = rows.filter(
        is_past("next_try_at", timezone.now()), id=letter_id, state=LetterState.WAITING
    ).first()
    if letter is None:
        return None
    letter.state, letter.claimed_at, letter.attempts = LetterState.SENDING, timezone.now(), letter.attempts + 1
    letter.save(update_fields=["state", "claimed_at", "attempts"])
    return letter


def _sent(text: LetterText) -> _Attempt:
    if not can_send():
        return _Attempt(state=LetterState.WAITING, problem=NO_SERVER)
    connection = get_connection()
    try:
        connection.open()
    except (SMTPException, OSError) as error:
        # The server has not received anything yet, so it is safe to try again.
        return _Attempt(state=LetterState.WAITING, problem=f"unreachable_{type(error).__name__}"[:64])
    try:
        EmailMessage(text.subject, text.body, to=[text.to], connection=connection).send()
    except SMTPRecipientsRefused as error:
        codes = [code for code, _ in error.recipients.values()]
        return _refused(codes[0] if codes else 550)
    except SMTPServerDisconnected:
        return _Attempt(state=LetterState.UNCERTAIN, problem="connection_broke")
    except SMTPResponseException as error:
        return _refused(error.smtp_code)
    except (SMTPException, OSError) as error:
        return _Attempt(state=LetterState.UNCERTAIN, problem=type(error).__name__[:64])
    finally:
        _close(connection)
    return _Attempt(state=LetterState.SENT)


def _refused(code: int) -> _Attempt:
    """Return the result of a letter that the server rejected: 4xx temporarily, 5xx permanently (RFC 5321)."""
    state = LetterState.WAITING if 400 <= code < 500 else LetterState.FAILED
    return _Attempt(state=state, problem=f"refused_{code}")


def _close(connection: object) -> None:
    try:
        getattr(connection, "close", lambda: None)()
    except (SMTPException, OSError) as error:
        # The server has accepted or rejected the letter by now, so this error changes nothing.
        logger.warning("the mail server's connection did not close: %s", type(error).__name__)


def _noted(letter: Letter, attempt: _Attempt) -> LetterState:
    state, now = attempt.state, timezone.now()
    if state is LetterState.WAITING and attempt.problem != NO_SERVER and letter.attempts >= MAX_ATTEMPTS:
        state = LetterState.FAILED
    letter.state, letter.problem, letter.claimed_at = state, attempt.problem, None
    letter.sent_at = now if state is LetterState.SENT else None
    letter.next_try_at = now + _delay(letter.attempts) if state is LetterState.WAITING else None
    letter.save(update_fields=["state", "problem", "claimed_at", "sent_at", "next_try_at"])
    match state:
        case LetterState.SENT:
            tell_letter("letter_sent", letter)
            forget_once_told(letter)
        case LetterState.UNCERTAIN:
            tell_letter("letter_uncertain", letter, outcome=Outcome.DEGRADED, code=attempt.problem)
        case LetterState.FAILED:
            tell_letter("letter_failed", letter, outcome=Outcome.FAILED, code=attempt.problem)
        case _:
            logger.warning("letter %s waits, after try %d: %s", letter.id, letter.attempts, attempt.problem)
    return state


def _give_up_lost() -> None:
    """Mark letters as uncertain whose sending process died: nobody knows whether the server accepted them."""
    rows = Letter.objects.select_for_update(no_key=True, skip_locked=True, of=("self",)).select_related("request")
    lost = rows.filter(is_past("claimed_at", timezone.now() - _CLAIM_ENDS_AFTER), state=LetterState.SENDING)
    for letter in lost:
        _noted(letter, _Attempt(state=LetterState.UNCERTAIN, problem="sender_died"))


def _delay(attempts: int) -> timedelta:
    return timedelta(minutes=_DELAYS_MIN[min(attempts, len(_DELAYS_MIN)) - 1])
