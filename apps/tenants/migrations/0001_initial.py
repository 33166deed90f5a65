"""The directory: who there is, who may see what, and requests that are answered once."""

from __future__ import annotations

import datetime

import django.contrib.auth.validators
import django.core.validators
import django.utils.timezone
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

import apps.tenants.models.user
from apps.tenants.columns import ID, TENANT
from apps.tenants.models.base import TenantForeignKey
from apps.tenants.operations import EnableIsolation, IsolationLevel, Writes

_ROLES = [
    ("compliance_officer", "Compliance officer"),
    ("reviewer", "Reviewer"),
    ("dpo", "Data protection officer"),
    ("analyst", "Analyst"),
    ("auditor", "Auditor"),
    ("tenant_admin", "Tenant administrator"),
]


class Migration(migrations.Migration):
    initial = True

    dependencies = [("auth", "0012_alter_user_first_name_max_length")]

    operations = [
        migrations.CreateModel(
            "Tenant",
            fields=[
                ("id", ID),
                (
                    "slug",
                    models.CharField(
                        help_text="The short name used in commands and addresses. It can't be changed later.",
                        max_length=63,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z][a-z0-9-]*$", "Lower-case letters, digits and hyphens; begin with a letter."
                            )
                        ],
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                (
                    "residency_region",
                    models.CharField(
                        help_text="Where this tenant's data must stay, such as eu, ch or us.", max_length=32
                    ),
                ),
                (
                    "residency_strict",
                    models.BooleanField(
                        default=True,
                        help_text=(
                            "Refuse every embedding and generation provider outside the region, both when it is "
                            "chosen and when it is called."
                        ),
                    ),
                ),
                (
                    "embedding_profile",
                    models.CharField(help_text="The configured provider that computes the vectors.", max_length=63),
                ),
                (
                    "generation_profile",
                    models.CharField(
                        help_text="The configured provider that writes the answers; 'extractive' needs no model.",
                        max_length=63,
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[("active", "Active"), ("suspended", "Suspended: nobody may sign in")],
                        default="active",
                        max_length=16,
                    ),
                ),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
            ],
            options={
                "ordering": ("slug",),
            },
        ),
        migrations.CreateModel(
            "User",
            fields=[
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "username",
                    models.CharField(
                        error_messages={"unique": "A user with that username already exists."},
                        help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                        max_length=150,
                        unique=True,
                        validators=[django.contrib.auth.validators.UnicodeUsernameValidator()],
                        verbose_name="username",
                    ),
                ),
                ("first_name", models.CharField(blank=True, max_length=150, verbose_name="first name")),
                ("last_name", models.CharField(blank=True, max_length=150, verbose_name="last name")),
                ("email", models.EmailField(blank=True, max_length=254, verbose_name="email address")),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False,
                        help_text="Designates whether the user can log into this admin site.",
                        verbose_name="staff status",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                        verbose_name="active",
                    ),
                ),
                ("date_joined", models.DateTimeField(default=django.utils.timezone.now, verbose_name="date joined")),
                ("id", ID),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "verbose_name": "user",
                "verbose_name_plural": "users",
                "abstract": False,
            },
            managers=[("objects", apps.tenants.models.user.UserManager())],
        ),
        migrations.CreateModel(
            "Session",
            fields=[
                ("key_sha256", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("content", models.TextField(help_text="Signed by the application.")),
                ("expires_at", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            "Scope",
            fields=[
                ("id", ID),
                (
                    "key",
                    models.CharField(
                        help_text="type:name, such as fund:global-equity or firm:meridian.",
                        max_length=127,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z][a-z0-9-]*:[a-z0-9][a-z0-9-]*$",
                                "type:name in lower case, such as fund:global-equity.",
                            )
                        ],
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                (
                    "parent",
                    TenantForeignKey("tenants.scope", models.PROTECT, blank=True, null=True, related_name="children"),
                ),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("key",),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "key"), name="scope_key_once"),
                    models.CheckConstraint(
                        condition=models.Q(("parent", models.F("id")), _negated=True), name="scope_not_own_parent"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "ApiKey",
            fields=[
                ("id", ID),
                ("name", models.CharField(help_text="What uses this key, such as 'Reporting portal'.", max_length=200)),
                ("prefix", models.CharField(editable=False, max_length=16)),
                ("secret_sha256", models.CharField(editable=False, max_length=64)),
                ("role", models.CharField(choices=_ROLES, default="analyst", max_length=32)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("created_by_id", models.UUIDField(editable=False, null=True)),
                ("expires_at", models.DateTimeField(blank=True, help_text="Empty: does not expire.", null=True)),
                ("last_used_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "rotated_from",
                    TenantForeignKey(
                        "tenants.apikey",
                        models.PROTECT,
                        blank=True,
                        editable=False,
                        null=True,
                        related_name="successors",
                    ),
                ),
                ("tenant", TENANT),
                (
                    "person",
                    models.ForeignKey(
                        settings.AUTH_USER_MODEL,
                        blank=True,
                        db_index=False,
                        editable=False,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="personal_keys",
                    ),
                ),
                ("with_second_factor", models.BooleanField(db_default=False, default=False, editable=False)),
            ],
            options={
                "verbose_name": "API key",
                "verbose_name_plural": "API keys",
                "ordering": ("name", "-created_at"),
                "indexes": [
                    models.Index(fields=["prefix"], name="api_key_by_prefix"),
                    models.Index(fields=["tenant", "person"], name="api_key_by_person"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "prefix"), name="api_key_prefix_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("person__isnull", True),
                            models.Q(
                                ("expires_at__isnull", False),
                                (
                                    "expires_at__lte",
                                    CombinedExpression(
                                        models.F("created_at"), "+", models.Value(datetime.timedelta(days=365))
                                    ),
                                ),
                            ),
                            _connector="OR",
                        ),
                        name="personal_key_ends_within_a_year",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "Membership",
            fields=[
                ("id", ID),
                ("role", models.CharField(choices=_ROLES, max_length=32)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("revoked_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "user",
                    models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships"),
                ),
                ("tenant", TENANT),
                ("created_by_id", models.UUIDField(editable=False, null=True)),
                ("invitation_id", models.UUIDField(editable=False, null=True)),
                ("accepted_at", models.DateTimeField(editable=False, null=True)),
                ("confirmed_at", models.DateTimeField(editable=False, null=True)),
                ("confirmed_by_id", models.UUIDField(editable=False, null=True)),
            ],
            options={
                "ordering": ("user__username", "role"),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("revoked_at__isnull", True)),
                        fields=("tenant", "user", "role"),
                        name="membership_once_while_valid",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("confirmed_at__isnull", True), ("accepted_at__isnull", False), _connector="OR"
                        ),
                        name="membership_confirmed_once_accepted",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "Grant",
            fields=[
                ("id", ID),
                ("valid_from", models.DateTimeField(db_default=Now(), editable=False)),
                ("valid_to", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "api_key",
                    TenantForeignKey("tenants.apikey", models.PROTECT, blank=True, null=True, related_name="grants"),
                ),
                (
                    "membership",
                    TenantForeignKey(
                        "tenants.membership", models.PROTECT, blank=True, null=True, related_name="grants"
                    ),
                ),
                ("scope", TenantForeignKey("tenants.scope", models.PROTECT, related_name="grants")),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("-valid_from",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("api_key__isnull", False), ("membership__isnull", True)),
                            models.Q(("api_key__isnull", True), ("membership__isnull", False)),
                            _connector="OR",
                        ),
                        name="grant_to_one_holder",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("membership__isnull", False), ("valid_to__isnull", True)),
                        fields=("tenant", "scope", "membership"),
                        name="grant_to_membership_once",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("api_key__isnull", False), ("valid_to__isnull", True)),
                        fields=("tenant", "scope", "api_key"),
                        name="grant_to_api_key_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "Invitation",
            fields=[
                ("id", ID),
                ("email", models.EmailField(blank=True, max_length=254)),
                ("role", models.CharField(choices=_ROLES, max_length=32)),
                ("scope_ids", ArrayField(models.UUIDField())),
                ("created_by_id", models.UUIDField(editable=False, null=True)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("token_sha256", models.CharField(editable=False, max_length=64, null=True)),
                ("sent_at", models.DateTimeField(editable=False, null=True)),
                ("expires_at", models.DateTimeField(editable=False, null=True)),
                ("accepted_at", models.DateTimeField(editable=False, null=True)),
                ("revoked_at", models.DateTimeField(editable=False, null=True)),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("-created_at",),
                "indexes": [
                    models.Index(fields=["token_sha256"], name="invitation_by_token"),
                ],
            },
        ),
        migrations.CreateModel(
            "AccountOrigin",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="origin",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("invited_by_id", models.UUIDField(editable=False, null=True)),
                ("mailbox_confirmed_at", models.DateTimeField(editable=False, null=True)),
            ],
        ),
        migrations.CreateModel(
            "AccountLink",
            fields=[
                ("id", ID),
                (
                    "purpose",
                    models.CharField(
                        choices=[("password", "Set a password"), ("email", "Confirm an e-mail address")], max_length=16
                    ),
                ),
                ("email", models.EmailField(max_length=254)),
                ("token_sha256", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("expires_at", models.DateTimeField(db_index=True)),
                ("used_at", models.DateTimeField(editable=False, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        settings.AUTH_USER_MODEL, db_index=False, on_delete=models.CASCADE, related_name="+"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            "SecondFactor",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("sealed", models.BinaryField()),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("confirmed_at", models.DateTimeField(editable=False, null=True)),
                ("last_step", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            "RecoveryCode",
            fields=[
                ("id", ID),
                ("code_sha256", models.CharField(max_length=64)),
                ("used_at", models.DateTimeField(editable=False, null=True)),
                ("user", models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")),
            ],
        ),
        migrations.CreateModel(
            "FactorReset",
            fields=[
                ("id", ID),
                ("reason", models.TextField()),
                ("asked_by_id", models.UUIDField(editable=False)),
                ("asked_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("agreed_by_id", models.UUIDField(editable=False, null=True)),
                ("agreed_at", models.DateTimeField(editable=False, null=True)),
                ("revoked_at", models.DateTimeField(editable=False, null=True)),
                ("tenant", TENANT),
                ("user", models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")),
            ],
            options={
                "ordering": ("-asked_at",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("agreed_at__isnull", True), ("revoked_at__isnull", True)),
                        fields=("tenant", "user"),
                        name="factor_reset_once_while_open",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "IdempotentRequest",
            fields=[
                ("id", ID),
                ("principal_kind", models.CharField(max_length=16)),
                ("principal_id", models.UUIDField()),
                ("key_digest", models.CharField(max_length=64)),
                ("request_digest", models.CharField(max_length=64)),
                ("scope_ids", ArrayField(models.UUIDField(), default=list)),
                ("subject_id", models.UUIDField(help_text="What was made, changed, removed, or recorded.")),
                ("replayable", models.BooleanField()),
                ("status_code", models.PositiveSmallIntegerField()),
                ("location", models.CharField(blank=True, max_length=200)),
                ("body", models.JSONField(null=True)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("expires_at", models.DateTimeField()),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("-created_at", "-id"),
                "indexes": [
                    models.Index(fields=["tenant", "subject_id"], name="idempotency_by_subject"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "principal_kind", "principal_id", "key_digest"), name="idempotency_key_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("replayable", True), ("body__isnull", True), _connector="OR"),
                        name="idempotency_body_if_replayable",
                    ),
                ],
            },
        ),
        EnableIsolation("Tenant", by=IsolationLevel.TENANT_ROW),
        EnableIsolation("Scope", by=IsolationLevel.SCOPE_ROW),
        EnableIsolation("ApiKey", by=IsolationLevel.TENANT),
        EnableIsolation("Membership", by=IsolationLevel.TENANT),
        EnableIsolation("Grant", by=IsolationLevel.TENANT),
        EnableIsolation("Invitation", by=IsolationLevel.TENANT),
        EnableIsolation("FactorReset", by=IsolationLevel.TENANT),
        # What was answered to a request is never changed: it is answered again.
        EnableIsolation("IdempotentRequest", by=IsolationLevel.SCOPES, writes=Writes.UNCHANGED),
    ]
