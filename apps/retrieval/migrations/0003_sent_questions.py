"""Questions that somebody sent to the compliance officers, and what they decided."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Now

from apps.tenants.columns import ID, TENANT
from apps.tenants.flows.operation import HoldFlow
from apps.tenants.operations import EnableIsolation, IsolationLevel, PoliciesByCommand
from apps.tenants.stamping import Stamp

_SCOPES = "tenant_id = (SELECT authz.tenant()) AND scope_ids <@ (SELECT authz.scopes())::uuid[]"
_OWN = "asker_id = (SELECT authz.person())"
_OFFICER = "(SELECT authz.may('policy.edit'))"
_PLATFORM = "(SELECT authz.may('glassbox.platform'))"


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0002_kept_answers")]

    operations = [
        migrations.CreateModel(
            "SentQuestion",
            fields=[
                ("id", ID),
                ("scope_ids", ArrayField(models.UUIDField(), default=list)),
                ("event_id", models.UUIDField()),
                ("asker_id", models.UUIDField()),
                ("data_key_id", models.UUIDField()),
                ("sealed", models.BinaryField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("sent", "Waits for an officer"),
                            ("answered", "Answered by an officer"),
                            ("example", "Made a review example"),
                            ("missing", "A document is missing"),
                            ("withheld", "Withheld by the policy on purpose"),
                        ],
                        default="sent",
                        max_length=16,
                    ),
                ),
                ("sent_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("decided_by_id", models.UUIDField(null=True)),
                ("decided_at", models.DateTimeField(null=True)),
                ("reply_key_id", models.UUIDField(null=True)),
                ("reply_sealed", models.BinaryField(null=True)),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("-sent_at", "-id"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "asker_id", "event_id"), name="question_sent_once"),
                    models.CheckConstraint(
                        condition=Q(("state", "answered"), _negated=True) | Q(("reply_sealed__isnull", False)),
                        name="sent_question_answered",
                    ),
                ],
            },
        ),
        EnableIsolation("SentQuestion", by=IsolationLevel.SCOPES),
        # Its asker sends it and takes it back; the officers of its scopes read it and decide; the platform removes it
        # in time.
        PoliciesByCommand(
            "SentQuestion",
            read=f"USING ({_SCOPES} AND ({_OWN} OR {_OFFICER}))",
            insert=f"WITH CHECK ({_SCOPES} AND {_OWN})",
            update=f"USING ({_SCOPES} AND {_OFFICER}) WITH CHECK ({_SCOPES} AND {_OFFICER})",
            delete=f"USING ({_SCOPES} AND ({_OWN} OR {_PLATFORM}))",
            updatable=("state", "decided_by_id", "decided_at", "reply_key_id", "reply_sealed"),
        ),
        HoldFlow("apps.retrieval.sent.flow.SENT_QUESTIONS"),
        Stamp("SentQuestion", sent_at="made", decided_at="once"),
    ]
