from apps.tenants.models.account import AccountLink, AccountOrigin, LinkPurpose
from apps.tenants.models.api_key import ApiKey
from apps.tenants.models.grant import Grant
from apps.tenants.models.idempotency import IdempotentRequest
from apps.tenants.models.invitation import Invitation
from apps.tenants.models.lookups import AnyOf
from apps.tenants.models.membership import Membership
from apps.tenants.models.scope import Scope
from apps.tenants.models.second_factor import FactorReset, RecoveryCode, SecondFactor
from apps.tenants.models.session import Session
from apps.tenants.models.tenant import Tenant
from apps.tenants.models.user import User

__all__ = [
    "AccountLink",
    "AccountOrigin",
    "AnyOf",
    "ApiKey",
    "FactorReset",
    "Grant",
    "IdempotentRequest",
    "Invitation",
    "LinkPurpose",
    "Membership",
    "RecoveryCode",
    "Scope",
    "SecondFactor",
    "Session",
    "Tenant",
    "User",
]
