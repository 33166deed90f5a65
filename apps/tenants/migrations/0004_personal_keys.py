"""API keys that act for a person: made by that person alone, and never longer-lived than a year."""

import datetime

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models.expressions import CombinedExpression

from apps.tenants.operations import PoliciesByCommand

_TENANT = "tenant_id = (SELECT authz.tenant())"
_TENANT_IF_OPEN = "tenant_id = (SELECT authz.tenant_if_open())"
_SCOPES = "(SELECT authz.scopes())::uuid[]"
_MEMBERS = "(SELECT authz.may('member.manage'))"
_KEYS = "(SELECT authz.may('key.manage'))"
# A person who is signed in: what they sign with a key of theirs lacks key.own, and the platform itself is nobody.
_OWN = "(authz.acts_as({person}) AND (SELECT authz.may('key.own')))"
_OWN_KEY = _OWN.format(person="person_id")


def _granted_key(condition: str) -> str:
    """What holds of the key that a grant is for; the key's row is of the grant's tenant."""
    return (
        "EXISTS (SELECT FROM tenants_apikey k WHERE k.tenant_id = tenants_grant.tenant_id "
        f"AND k.id = tenants_grant.api_key_id AND {condition})"
    )


_OWN_GRANT = _granted_key(_OWN.format(person="k.person_id"))
_ORDINARY_GRANT = _granted_key(f"k.person_id IS NULL AND {_KEYS}")

_KEY_READ = f"USING ({_TENANT_IF_OPEN} OR prefix = (SELECT authz.identity(2)))"
_KEY_UPDATABLE = ("expires_at", "revoked_at", "last_used_at")
_GRANT_READ = f"USING ({_TENANT_IF_OPEN} OR tenant_id = (SELECT authz.identity(3))::uuid)"

# As 0003_wall left them.
_KEYS_BEFORE = PoliciesByCommand(
    "ApiKey",
    read=_KEY_READ,
    insert=f"WITH CHECK ({_TENANT} AND {_KEYS})",
    update=f"USING ({_TENANT} AND revoked_at IS NULL AND {_KEYS}) WITH CHECK ({_TENANT} AND {_KEYS})",
    updatable=_KEY_UPDATABLE,
)
_HOLDER_BEFORE = f"(membership_id IS NULL OR {_MEMBERS}) AND (api_key_id IS NULL OR {_KEYS})"
_GRANTS_BEFORE = PoliciesByCommand(
    "Grant",
    read=_GRANT_READ,
    insert=f"WITH CHECK ({_TENANT} AND scope_id = ANY ({_SCOPES}) AND {_HOLDER_BEFORE})",
    update=(
        f"USING ({_TENANT} AND valid_to IS NULL AND {_HOLDER_BEFORE}) "
        f"WITH CHECK ({_TENANT} AND valid_to IS NOT NULL AND {_HOLDER_BEFORE})"
    ),
    updatable=("valid_to",),
)

# An administrator may end anybody's key and its grants, and give neither to a key that acts for a person.
_MAY_GIVE = f"(membership_id IS NULL OR {_MEMBERS}) AND (api_key_id IS NULL OR {_ORDINARY_GRANT} OR {_OWN_GRANT})"
_MAY_END = f"(membership_id IS NULL OR {_MEMBERS}) AND (api_key_id IS NULL OR {_KEYS} OR {_OWN_GRANT})"
_MAY_CHANGE_KEY = f"({_KEYS} OR {_OWN_KEY})"


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0003_wall"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="person",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="personal_keys",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddIndex(
            model_name="apikey",
            index=models.Index(fields=["tenant", "person"], name="api_key_by_person"),
        ),
        migrations.AddConstraint(
            model_name="apikey",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("person__isnull", True),
                    models.Q(
                        ("expires_at__isnull", False),
                        (
                            "expires_at__lte",
                            CombinedExpression(models.F("created_at"), "+", models.Value(datetime.timedelta(days=365))),
                        ),
                    ),
                    _connector="OR",
                ),
                name="personal_key_ends_within_a_year",
            ),
        ),
        PoliciesByCommand(
            "ApiKey",
            read=_KEY_READ,
            insert=f"WITH CHECK ({_TENANT} AND ((person_id IS NULL AND {_KEYS}) OR {_OWN_KEY}))",
            # person_id is no column that anything which serves may change.
            update=(
                f"USING ({_TENANT} AND revoked_at IS NULL AND {_MAY_CHANGE_KEY}) "
                f"WITH CHECK ({_TENANT} AND {_MAY_CHANGE_KEY})"
            ),
            updatable=_KEY_UPDATABLE,
            was=_KEYS_BEFORE,
        ),
        PoliciesByCommand(
            "Grant",
            read=_GRANT_READ,
            insert=f"WITH CHECK ({_TENANT} AND scope_id = ANY ({_SCOPES}) AND {_MAY_GIVE})",
            update=(
                f"USING ({_TENANT} AND valid_to IS NULL AND {_MAY_END}) "
                f"WITH CHECK ({_TENANT} AND valid_to IS NOT NULL AND {_MAY_END})"
            ),
            updatable=("valid_to",),
            was=_GRANTS_BEFORE,
        ),
    ]
