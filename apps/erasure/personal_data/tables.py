"""Tables that no model of ours declares: of Django, of the wall, and of what only SQL reaches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from apps.tenants.personal_data import Fields, Sort, reasons

TABLES: Final[Mapping[str, tuple[Fields, ...]]] = {
    "tenants_credential": (
        Fields(
            "user_id",
            Sort.IDENTIFIER,
            because="The account.",
            cleared_by="tenants.access_accounts",
            stays=reasons.OTHER_TENANTS,
            withheld=reasons.A_PROOF,
        ),
        Fields(
            "password",
            Sort.CREDENTIAL,
            because="A slow hash of it.",
            cleared_by="tenants.access_accounts",
            stays=reasons.OTHER_TENANTS,
            withheld=reasons.A_PROOF,
        ),
    ),
    "tenants_user_groups": (
        Fields("id group_id", Sort.NONE, because="Django's own; not used."),
        Fields(
            "user_id",
            Sort.IDENTIFIER,
            because="Django's own; not used.",
            stays=reasons.NOBODY_WRITES,
            withheld=reasons.NOT_USED,
        ),
    ),
    "tenants_user_user_permissions": (
        Fields("id permission_id", Sort.NONE, because="Django's own; not used."),
        Fields(
            "user_id",
            Sort.IDENTIFIER,
            because="Django's own; not used.",
            stays=reasons.NOBODY_WRITES,
            withheld=reasons.NOT_USED,
        ),
    ),
    "authz.signing_key": (
        Fields("kid", Sort.NONE, because="A key's name."),
        Fields(
            "inner_pad outer_pad",
            Sort.CREDENTIAL,
            because="The key that scope tokens are verified by.",
            stays="It is the platform's, and nobody's.",
            withheld=reasons.A_PROOF,
        ),
    ),
    "authz.event_class": (
        Fields("action groups required permissions binding", Sort.NONE, because="Codes, as the code registers them."),
    ),
    "authz.session_limit": (
        Fields("role statement transaction idle grace", Sort.NONE, because="Limits of our own roles."),
    ),
    "authz.repeated_removal": (
        Fields("tenant_id type until", Sort.NONE, because="An id, a code and a time."),
        Fields(
            "item_id",
            Sort.IDENTIFIER,
            because="Ids of what is removed again from a database that was put back, also of accounts.",
            stays="Until that removal is done. What a process that was killed leaves there counts for a day, and goes "
            "with the tenant's next removal of this kind; an id names nobody once what it named is gone.",
            withheld=reasons.TARGETS,
        ),
    ),
    "auth_group": (Fields("id name", Sort.NONE, because="The platform's own, the same for every tenant."),),
    "auth_group_permissions": (
        Fields("id group_id permission_id", Sort.NONE, because="The platform's own, the same for every tenant."),
    ),
    "auth_permission": (
        Fields("id name content_type_id codename", Sort.NONE, because="The platform's own, the same for every tenant."),
    ),
    "django_content_type": (
        Fields("id app_label model", Sort.NONE, because="The platform's own, the same for every tenant."),
    ),
    "django_migrations": (
        Fields("id app name applied", Sort.NONE, because="The platform's own, the same for every tenant."),
    ),
    "django_admin_log": (
        Fields("id action_time action_flag content_type_id", Sort.NONE, because="Django's own; not used."),
        Fields(
            "user_id",
            Sort.IDENTIFIER,
            because="Django's own; not used.",
            stays=reasons.NOBODY_WRITES,
            withheld=reasons.NOT_USED,
        ),
        Fields(
            "object_id object_repr change_message",
            Sort.FREE_TEXT,
            because="Django's own; not used.",
            stays=reasons.NOBODY_WRITES,
            unsearched="Django's own tables, which are empty: no role that runs anything may write there.",
            withheld=reasons.NOT_USED,
        ),
    ),
}
