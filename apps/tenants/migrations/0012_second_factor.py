"""A second factor for who decides: its secret, recovery codes, and how a lost one is taken away by two."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import apps.tenants.models.base
from apps.tenants.migrations import _second_factor
from apps.tenants.operations import LATEST, EnableIsolation, IsolationLevel, PoliciesByCommand, Writes

_SELF = "user_id = (SELECT authz.identity(1))::uuid"
_READ = f"USING ((SELECT authz.is_open()) AND {_SELF})"
_TENANT = "tenant_id = (SELECT authz.tenant())"
_MEMBERS = "(SELECT authz.may('member.manage'))"
_DECIDES = f"({_MEMBERS} OR (SELECT authz.may('policy.approve')) OR (SELECT authz.may('privacy.approve')))"
_ID = models.UUIDField(db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False)
_ISOLATED = EnableIsolation("FactorReset", by=IsolationLevel.TENANT, writes=Writes.KEEP, version=LATEST)


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0011_second_person"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="with_second_factor",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.CreateModel(
            name="SecondFactor",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("sealed", models.BinaryField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("confirmed_at", models.DateTimeField(editable=False, null=True)),
                ("last_step", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="RecoveryCode",
            fields=[
                ("id", _ID),
                ("code_sha256", models.CharField(max_length=64)),
                ("used_at", models.DateTimeField(editable=False, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="FactorReset",
            fields=[
                ("id", _ID),
                ("reason", models.TextField()),
                ("asked_by_id", models.UUIDField(editable=False)),
                ("asked_at", models.DateTimeField(auto_now_add=True)),
                ("agreed_by_id", models.UUIDField(editable=False, null=True)),
                ("agreed_at", models.DateTimeField(editable=False, null=True)),
                ("revoked_at", models.DateTimeField(editable=False, null=True)),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"ordering": ("-asked_at",)},
        ),
        migrations.AddConstraint(
            model_name="factorreset",
            constraint=models.UniqueConstraint(
                condition=models.Q(("agreed_at__isnull", True), ("revoked_at__isnull", True)),
                fields=("tenant", "user"),
                name="factor_reset_once_while_open",
            ),
        ),
        _ISOLATED,
        # With the identity of that very account alone, which no scope token opens.
        PoliciesByCommand(
            "SecondFactor",
            read=_READ,
            insert=f"WITH CHECK ({_SELF})",
            update=f"USING ({_SELF}) WITH CHECK ({_SELF})",
            delete=f"USING ({_SELF})",
            updatable=("confirmed_at", "last_step"),
        ),
        PoliciesByCommand(
            "RecoveryCode",
            read=_READ,
            insert=f"WITH CHECK ({_SELF})",
            update=f"USING ({_SELF}) WITH CHECK ({_SELF})",
            delete=f"USING ({_SELF})",
            updatable=("used_at",),
        ),
        PoliciesByCommand(
            "FactorReset",
            read=f"USING ({_TENANT})",
            insert=f"WITH CHECK ({_TENANT} AND {_MEMBERS})",
            update=f"USING ({_TENANT} AND {_DECIDES}) WITH CHECK ({_TENANT} AND {_DECIDES})",
            updatable=("agreed_by_id", "agreed_at", "revoked_at"),
            was=_ISOLATED,
        ),
        migrations.RunSQL(sql=_second_factor.FORWARD, reverse_sql=_second_factor.BACKWARD),
    ]
