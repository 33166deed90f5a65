"""What can go wrong at the wall, in words for the person who meets it."""

from __future__ import annotations

from apps.errors import ApplicationError


class NoScopeError(ApplicationError):
    code = "tenants.no_scope"
    status = 403
    message = "No scope is open. Sign in as a member of a tenant, or use an API key of it."


class PermissionDeniedError(ApplicationError):
    code = "tenants.permission_denied"
    status = 403
    message = "This needs the permission {permission}. Roles that have it: {roles}."


class WithheldFromKeyError(PermissionDeniedError):
    code = "tenants.withheld_from_key"
    message = "A key that acts for a person may not do this, whatever its role ({permission}). Sign in to do it."


class PlatformOnlyError(ApplicationError):
    code = "tenants.platform_only"
    status = 403
    message = "Accounts are managed by the platform's administrators. Members of a tenant are on the page Members."


class ScopeNotGrantedError(ApplicationError):
    """Also raised for a scope that does not exist: the two must look alike."""

    code = "tenants.scope_not_granted"
    status = 404
    message = "There is no scope {scope} that you may use. See GET /api/v1/scopes/ for yours."


class UnknownTenantError(ApplicationError):
    code = "tenants.unknown_tenant"
    status = 404
    message = "There is no tenant {tenant} that you may use."


class InvalidKeyError(ApplicationError):
    """Wrong, expired and revoked look alike to a caller; the log of the owning tenant says which it was."""

    code = "tenants.invalid_api_key"
    status = 401
    message = (
        "The API key is not valid: unknown, expired or revoked, or its person lost the role. Create a new one under "
        "Administration, API keys or My keys."
    )


class TooManyAttemptsError(ApplicationError):
    """Nobody looked at the password. The same for a name that nobody has."""

    code = "tenants.too_many_attempts"
    status = 429
    message = "Too many sign-ins failed. Try again in {seconds} seconds."

    @property
    def retry_after_seconds(self) -> int:
        return int(self.data["seconds"])


class TooManyKeyAttemptsError(TooManyAttemptsError):
    """Nobody looked at the secret."""

    code = "tenants.too_many_key_attempts"
    message = (
        "The secret of this API key was wrong too often from where you are. Check the key, and try again in {seconds} "
        "seconds."
    )


class NotInPersonError(ApplicationError):
    code = "tenants.not_in_person"
    status = 403
    message = "A key that acts for a person is made and rotated by that person alone, signed in and not by another key."


class RoleNotHeldError(ApplicationError):
    code = "tenants.role_not_held"
    status = 409
    message = "You do not hold the role {role} here. A key of yours carries one of your own roles: {roles}."


class KeyLifeError(ApplicationError):
    code = "tenants.key_life"
    status = 400
    message = "A key that acts for a person ends by itself, after {days} days at the latest. Choose when."


class KeyEndedError(ApplicationError):
    code = "tenants.key_ended"
    status = 409
    message = "The key “{name}” has ended. Create a new one."


class KeyReachesNothingError(ApplicationError):
    code = "tenants.key_reaches_nothing"
    status = 409
    message = "You no longer reach any scope of the key “{name}”. Create a new one."


class InvalidScopeKeyError(ApplicationError):
    code = "tenants.invalid_scope_name"
    status = 400
    message = "A scope is named type:name in lower case, such as fund:global-equity; {key} is not."


class UnsafeRoleError(ApplicationError):
    code = "tenants.unsafe_database_role"
    status = 500
    message = "The database role {role} must not be {problem}: row-level security would not hold. {remedy}"


class ResidencyError(ApplicationError):
    """The one refusal of X7: a strict tenant and a provider of another region. Raised by residency.check_region alone.

    The floors above derive from it where their callers also catch an error of their own; code and data stay the same.
    """

    code = "tenants.residency"
    status = 409
    message = (
        "The tenant's data must stay in region {tenant_region}, and the provider {provider} is in {provider_region}. "
        "Choose a provider of the tenant's region."
    )
