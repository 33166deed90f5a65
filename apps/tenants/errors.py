"""The errors of authentication, permissions and membership, with messages for the person who gets them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from apps.errors import ApplicationError, CodedError


class NoScopeError(ApplicationError):
    code = "tenants.no_scope"
    status = 403
    message = "No scope is open. Sign in as a member of a tenant, or use an API key of the tenant."


class PermissionDeniedError(ApplicationError):
    code = "tenants.permission_denied"
    status = 403
    message = "This needs the permission {permission}. These roles have it: {roles}."


class WithheldFromKeyError(PermissionDeniedError):
    code = "tenants.withheld_from_key"
    message = "A key of this kind may not do this, whatever its role ({permission}). Sign in to do it."


class PlatformOnlyError(ApplicationError):
    code = "tenants.platform_only"
    status = 403
    message = "Accounts are managed by the operator. Members of a tenant are on the page Members."


class ScopeNotGrantedError(ApplicationError):
    """The principal may not use a scope. A scope that does not exist raises the same error, so that both look alike."""

    code = "tenants.scope_not_granted"
    status = 404
    message = "There is no scope {scope} that you may use. See GET /api/v1/scopes/ for yours."


class UnknownTenantError(ApplicationError):
    code = "tenants.unknown_tenant"
    status = 404
    message = "There is no tenant {tenant} that you may use."


class InvalidKeyError(ApplicationError):
    """An API key is wrong, expired or revoked. The caller can't tell which; the log of the owning tenant says it."""

    code = "tenants.invalid_api_key"
    status = 401
    message = (
        "The API key is not valid: unknown, expired or revoked, or its person lost the role. Create a new one under "
        "Administration, API keys or My keys."
    )


class TooManyAttemptsError(ApplicationError):
    """Too many sign-ins failed, so the password was not checked. Names without an account raise the same error."""

    code = "tenants.too_many_attempts"
    status = 429
    message = "Too many failed sign-ins. Try again in {seconds} seconds."

    @property
    def retry_after_seconds(self) -> int:
        return int(self.data["seconds"])


class TooManyKeyAttemptsError(TooManyAttemptsError):
    """Too many secrets of an API key were wrong. The error does not tell whether this one was right."""

    code = "tenants.too_many_key_attempts"
    message = (
        "The secret of this API key was wrong too often from your address. Check the key, and try again in "
        "{seconds} seconds."
    )


class TooManyLettersError(TooManyAttemptsError):
    code = "tenants.too_many_letters"
    message = "Too many links were requested. Check the mailbox, or try again in {seconds} seconds."


class TooManyCodesError(TooManyAttemptsError):
    code = "tenants.too_many_codes"
    message = "Too many wrong codes. Try again in {seconds} seconds."


class SecondPersonError(CodedError):
    """Why a person may not take a decision that needs a second factor or a second person."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "tenants.step_up_needed": (
            403,
            (
                "This decision requires your second factor. In the admin, enter a code first (Administration, Second "
                "factor). With the API, use a key that acts for you and that you made right after entering a code (My "
                "keys)."
            ),
        ),
        "tenants.same_hands": (
            409,
            (
                "Somebody else must decide on this. Your account and the one that asked count as the same person: "
                "they are the same account, or one made the other, whose mailbox was never confirmed."
            ),
        ),
    }


class NotInPersonError(ApplicationError):
    code = "tenants.not_in_person"
    status = 403
    message = "Only the person themselves, signed in, can make or rotate a key that acts for them. No key can do it."


class KeyMadeInPersonError(NotInPersonError):
    message = (
        "Only a signed-in person can make or rotate a key. A key that another key made could outlive that "
        "key. Sign in, or do it under Administration, API keys."
    )


class InvitedInPersonError(NotInPersonError):
    message = (
        "Only a signed-in person can send invitations, not a key: whoever agrees to a role must know who "
        "asked for it. Sign in, or do it under Administration, Members."
    )


class ConfirmedInPersonError(NotInPersonError):
    message = (
        "Only a signed-in person can agree to a role that approves, not a key. Sign in, enter a code of your "
        "second factor, and do it under Administration, Members."
    )


class InvitationEndedError(ApplicationError):
    """An invitation does not work. A link that never existed raises the same error: guessing reveals nothing."""

    code = "tenants.invitation_ended"
    status = 410
    message = (
        "This invitation does not work: it was used, withdrawn or replaced, or its seven days are over. Ask whoever "
        "invited you to send it again."
    )


class LinkEndedError(ApplicationError):
    """A mailed link does not work. A link that never existed raises the same error: guessing reveals nothing."""

    code = "tenants.link_ended"
    status = 410
    message = "This link does not work: it was used, or its hour is over. Ask for a new one."


class ReasonMissingError(ApplicationError):
    code = "tenants.reason_missing"
    message = "Say why, in a few words, for the audit log."


class ScopeKeyError(CodedError):
    """Why a scope can't have this key."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "tenants.scope_key_taken": (409, "This key is taken. Choose another."),
        # Data: key.
        "tenants.root_scope_key": (
            409,
            (
                "The key of the tenant as a whole, {key}, can't change, because Glassbox finds the tenant by it. You "
                "can change its name."
            ),
        ),
        "tenants.invalid_scope_name": (
            400,
            "A scope is named type:name in lower case, such as fund:global-equity; {key} is not.",
        ),
    }


class ResidencyError(ApplicationError):
    """The refusal of X7: the tenant is strict, and the provider is in another region.

    Only residency.check_region raises it. Layers above derive a subclass if their callers also catch an error class of
    that layer; code and data stay the same.
    """

    code = "tenants.residency"
    status = 409
    message = (
        "The tenant's data must stay in region {tenant_region}, but the provider {provider} is in "
        "{provider_region}. Choose a provider in the tenant's region."
    )


class SecondFactorError(CodedError):
    """What stands against setting up, using or resetting a second factor."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "tenants.codes_not_counted": (
            503,
            "Codes can't be checked at the moment, because guesses could not be counted. Try again in a few minutes.",
        ),
        "tenants.no_second_factor": (
            409,
            "You have not set up a second factor. Do so under Administration, Second factor.",
        ),
        "tenants.second_factor_there": (
            409,
            "A second factor is already set up. Remove it first, with one of its codes.",
        ),
        "tenants.wrong_code": (
            400,
            "This code is wrong or was already used. Wait for the next one, and check the device's clock.",
        ),
        "tenants.factor_reset_settled": (409, "This was agreed to or withdrawn in the meantime. Reload the page."),
        "tenants.missing_reason": (400, "Say why: whoever decides on it reads the reason."),
    }


class MembershipError(CodedError):
    """What stands against an invitation or a step of a membership."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "tenants.no_mailbox": (
            409,
            "The account {username} has no mailbox, so nothing can be sent to it. Invite the person again.",
        ),
        # Only the holder of an invitation that was sent to the mailbox of that name is told.
        "tenants.account_name_taken": (409, "This mailbox already has an account. Sign in with it to accept."),
        "tenants.role_already_held": (
            409,
            "This account already has the role {role} there, or the role waits for confirmation.",
        ),
        "tenants.approves_for_themselves": (
            409,
            "You can't give yourself a role that approves ({role}). Ask another administrator to invite you.",
        ),
        "tenants.membership_settled": (
            409,
            "This membership was confirmed or ended in the meantime. Reload the page.",
        ),
        "tenants.membership_changed": (
            409,
            "This membership has changed since you read it. Read it again, and decide on its current state.",
        ),
        "tenants.membership_not_found": (404, "There is no such membership."),
        "tenants.invitation_not_found": (404, "There is no such invitation."),
        "tenants.invitation_settled": (
            409,
            "This invitation is no longer open: it was accepted or withdrawn, or it expired. Send a new invitation.",
        ),
        "tenants.invited_by_themselves": (
            409,
            (
                "Somebody else must confirm this: you invited this person, or whoever invited them. If nobody else "
                "may confirm it, the operator does (manage.py tenant member)."
            ),
        ),
    }


class ApiKeyError(CodedError):
    """What stands against making, using up or finding an API key."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "tenants.role_not_held": (
            409,
            "You do not hold the role {role} here. A personal key needs one of your own roles: {roles}.",
        ),
        "tenants.key_life": (
            400,
            "A key that acts for a person expires after {days} days at the latest. Choose when.",
        ),
        "tenants.key_ended": (409, "The key “{name}” has ended. Create a new one."),
        "tenants.key_reaches_nothing": (
            409,
            "You can no longer reach any scope of the key “{name}”. Create a new key.",
        ),
        "tenants.key_not_found": (404, "There is no such key."),
    }
