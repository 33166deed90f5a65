"""Absences of reviewers, with their deputies."""

from __future__ import annotations

from django.db import migrations, models
from django.db.models.functions import Now

from apps.tenants.columns import ID, TENANT
from apps.tenants.operations import EnableIsolation, IsolationLevel, PoliciesByCommand, RunSqlFile
from apps.tenants.stamping import Stamp

_TENANT = "tenant_id = (SELECT authz.tenant())"
_OWN = f"{_TENANT} AND (authz.acts_as(member_id) OR (SELECT authz.may('member.manage')))"


class Migration(migrations.Migration):
    dependencies = [("intents", "0008_notices")]

    operations = [
        migrations.CreateModel(
            "Absence",
            fields=[
                ("id", ID),
                ("member_id", models.UUIDField()),
                ("deputy_id", models.UUIDField(null=True)),
                ("begins_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField()),
                ("recorded_by_id", models.UUIDField(editable=False)),
                ("recorded_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("ended_by_id", models.UUIDField(editable=False, null=True)),
                ("ended_at", models.DateTimeField(editable=False, null=True)),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("-begins_at", "-id"),
                "indexes": [models.Index(fields=["tenant", "member_id"], name="absence_by_member")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("ends_at__gt", models.F("begins_at"))), name="absence_ends_later"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("ended_at__isnull", True), ("ended_by_id__isnull", False), _connector="OR"),
                        name="absence_ended_by_somebody",
                    ),
                ],
            },
        ),
        EnableIsolation("Absence", by=IsolationLevel.TENANT),
        PoliciesByCommand(
            "Absence",
            read=f"USING ({_TENANT})",
            insert=f"WITH CHECK ({_OWN})",
            update=f"USING ({_OWN}) WITH CHECK ({_OWN})",
            updatable=("ended_at", "ended_by_id"),
        ),
        Stamp("Absence", recorded_at="made", ended_at="once"),
        RunSqlFile("absences.sql"),
    ]
