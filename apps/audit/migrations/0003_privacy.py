"""The rights of people: requests for erasure and access with their letters, inventories, and packages."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.functions import Now

from apps.tenants.columns import ID, TENANT
from apps.tenants.flows.operation import HoldFlow
from apps.tenants.models.base import TenantForeignKey
from apps.tenants.operations import EnableIsolation, IsolationLevel, PoliciesByCommand, RunSqlFile, Writes
from apps.tenants.stamping import Stamp

_TENANT = "tenant_id = (SELECT authz.tenant())"
_SCOPES = f"{_TENANT} AND scope_ids <@ (SELECT authz.scopes())::uuid[]"
_PLATFORM = "(SELECT authz.may('glassbox.platform'))"
_MANAGES = "(SELECT authz.may('privacy.manage'))"
_READS = f"({_MANAGES} OR (SELECT authz.may('privacy.approve')))"


class Migration(migrations.Migration):
    dependencies = [("audit", "0002_erasure")]

    operations = [
        migrations.CreateModel(
            "ErasureRequest",
            fields=[
                ("id", ID),
                ("year", models.PositiveSmallIntegerField()),
                ("number", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("received", "Received"),
                            ("identity_pending", "Waits for proof of identity"),
                            ("assessing", "Being assessed"),
                            ("inventory_ready", "Ready to be proposed"),
                            ("awaiting_approval", "Waits for approval"),
                            ("restricted", "Approved"),
                            ("executing", "Being erased"),
                            ("verifying", "Being verified"),
                            ("completed", "Completed"),
                            ("partially_completed", "Completed except for what is held"),
                            ("refused", "Refused"),
                            ("withdrawn", "Withdrawn"),
                            ("failed", "Failed: tried again"),
                        ],
                        default="received",
                        max_length=32,
                    ),
                ),
                (
                    "subject_type",
                    models.CharField(
                        choices=[
                            ("data_subject", "A person who is named or described in documents"),
                            ("user", "A user of this installation"),
                            ("document", "A document"),
                            ("scope", "A scope with everything in it"),
                            ("tenant", "The whole tenant"),
                        ],
                        max_length=16,
                    ),
                ),
                ("subject_id", models.UUIDField(null=True)),
                (
                    "requester",
                    models.CharField(
                        choices=[
                            ("person", "The person themselves"),
                            ("representative", "Somebody who acts for the person"),
                            ("firm", "The firm itself"),
                            ("authority", "A supervisory authority or a court"),
                        ],
                        max_length=16,
                    ),
                ),
                ("language", models.CharField(choices=[("en", "English"), ("de", "German")], max_length=2)),
                ("received_at", models.DateTimeField()),
                ("zone", models.CharField(max_length=64)),
                ("received_on", models.DateField()),
                ("first_due_on", models.DateField()),
                ("due_on", models.DateField()),
                ("received_by_id", models.UUIDField()),
                ("data_key_id", models.UUIDField()),
                ("details", models.BinaryField()),
                ("identity_asked_at", models.DateTimeField(null=True)),
                ("identity_confirmed_at", models.DateTimeField(null=True)),
                (
                    "ground",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("17_1_a", "Article 17(1)(a): no longer needed for what they were collected for"),
                            ("17_1_b", "Article 17(1)(b): consent was withdrawn, and there is no other ground"),
                            ("17_1_c", "Article 17(1)(c): the person objected, and nothing overrides that"),
                            ("17_1_d", "Article 17(1)(d): processed unlawfully"),
                            ("17_1_e", "Article 17(1)(e): the law requires erasure"),
                            ("17_1_f", "Article 17(1)(f): collected from a child for an online service"),
                            ("28_3_g", "Article 28(3)(g): the contract of processing has ended"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "extension",
                    models.CharField(
                        blank=True,
                        choices=[("complexity", "The request is complex"), ("number", "The number of requests")],
                        max_length=16,
                    ),
                ),
                ("extended_at", models.DateTimeField(null=True)),
                (
                    "refusal",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("12_5_unfounded", "Article 12(5): manifestly unfounded"),
                            ("12_5_excessive", "Article 12(5): excessive, in particular repeated"),
                            ("12_2", "Article 12(2) and 11(2): the person can't be identified"),
                            ("17_1", "Article 17(1): none of its grounds applies"),
                            ("17_3_a", "Article 17(3)(a): freedom of expression and information"),
                            ("17_3_b", "Article 17(3)(b): a legal duty, or a task in the public interest"),
                            ("17_3_c", "Article 17(3)(c): public interest in public health"),
                            ("17_3_d", "Article 17(3)(d): archiving, research or statistics"),
                            ("17_3_e", "Article 17(3)(e): legal claims"),
                        ],
                        max_length=16,
                    ),
                ),
                ("run_id", models.UUIDField(null=True)),
                ("proposed_by_id", models.UUIDField(null=True)),
                ("proposed_at", models.DateTimeField(null=True)),
                ("approved_by_id", models.UUIDField(null=True)),
                ("approved_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("tenant", TENANT),
                ("restricted_at", models.DateTimeField(null=True)),
                (
                    "purpose",
                    models.CharField(
                        choices=[("erasure", "Erasure"), ("access", "Access")], default="erasure", max_length=8
                    ),
                ),
                ("revision", models.PositiveIntegerField(db_default=1, default=1)),
                ("decided_revision", models.PositiveIntegerField(editable=False, null=True)),
            ],
            options={
                "ordering": ("due_on", "year", "number"),
                "indexes": [
                    models.Index(fields=["tenant", "state", "due_on"], name="erasure_request_by_due"),
                    models.Index(fields=["tenant", "subject_id"], name="erasure_request_by_subject"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "year", "number"), name="erasure_request_number_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("proposed_by_id__isnull", True),
                            ("approved_by_id__isnull", True),
                            models.Q(("proposed_by_id", models.F("approved_by_id")), _negated=True),
                            _connector="OR",
                        ),
                        name="erasure_request_four_eyes",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("subject_id__isnull", True), ("subject_type", "data_subject")),
                            models.Q(
                                models.Q(("subject_type", "data_subject"), _negated=True), ("subject_id__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="erasure_request_subject_named",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("due_on", models.F("first_due_on")), ("extended_at__isnull", True), ("extension", "")
                            ),
                            models.Q(("extended_at__isnull", False), models.Q(("extension", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="erasure_request_extended_with_reason",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "refused"), models.Q(("refusal", ""), _negated=True)),
                            models.Q(models.Q(("state", "refused"), _negated=True), ("refusal", "")),
                            _connector="OR",
                        ),
                        name="erasure_request_refused_with_ground",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("purpose", "erasure"),
                            models.Q(
                                ("ground", ""),
                                ("purpose", "access"),
                                ("restricted_at__isnull", True),
                                ("run_id__isnull", True),
                                (
                                    "state__in",
                                    (
                                        "received",
                                        "identity_pending",
                                        "assessing",
                                        "inventory_ready",
                                        "completed",
                                        "refused",
                                        "withdrawn",
                                    ),
                                ),
                                ("subject_type", "data_subject"),
                            ),
                            _connector="OR",
                        ),
                        name="access_request_removes_nothing",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "Letter",
            fields=[
                ("id", ID),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("received", "We have your request"),
                            ("identity", "Please prove who you are"),
                            ("extended", "We need two further months"),
                            ("refused", "Your request is refused"),
                            ("done", "Your request was carried out"),
                        ],
                        max_length=16,
                    ),
                ),
                ("language", models.CharField(choices=[("en", "English"), ("de", "German")], max_length=2)),
                (
                    "delivery",
                    models.CharField(
                        choices=[("email", "By e-mail"), ("post", "By post: printed and sent by hand")], max_length=8
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waits to be sent"),
                            ("sending", "Being sent"),
                            ("sent", "Sent"),
                            ("failed", "Could not be sent"),
                            ("uncertain", "Not known whether it was sent"),
                            ("to_post", "To be posted by hand"),
                        ],
                        max_length=16,
                    ),
                ),
                ("ciphertext", models.BinaryField()),
                ("written_by_id", models.UUIDField()),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("next_try_at", models.DateTimeField(null=True)),
                ("claimed_at", models.DateTimeField(null=True)),
                ("sent_at", models.DateTimeField(null=True)),
                ("problem", models.CharField(blank=True, max_length=64)),
                ("request", TenantForeignKey("audit.erasurerequest", models.PROTECT, related_name="letters")),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("created_at", "id"),
                "indexes": [
                    models.Index(fields=["tenant", "state", "next_try_at"], name="letter_by_next_try"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("sent_at__isnull", False), ("state", "sent")),
                            models.Q(models.Q(("state", "sent"), _negated=True), ("sent_at__isnull", True)),
                            _connector="OR",
                        ),
                        name="letter_sent_when",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "Inventory",
            fields=[
                ("id", ID),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting for a worker"),
                            ("running", "Searching"),
                            ("done", "Searched"),
                            ("failed", "Could not be searched"),
                        ],
                        default="waiting",
                        max_length=16,
                    ),
                ),
                ("requested_by_id", models.UUIDField()),
                ("requested_at", models.DateTimeField(db_default=Now())),
                ("description", models.CharField(max_length=64)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("counts", models.JSONField(default=dict)),
                ("unreadable", models.PositiveIntegerField(default=0)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("lease_owner", models.CharField(blank=True, max_length=127)),
                ("lease_until", models.DateTimeField(null=True)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("next_attempt_at", models.DateTimeField(null=True)),
                ("error_code", models.CharField(blank=True, max_length=100)),
                ("request", TenantForeignKey("audit.erasurerequest", models.PROTECT, related_name="inventories")),
                ("tenant", TENANT),
                ("unread_files", ArrayField(models.UUIDField(), default=list)),
            ],
            options={
                "ordering": ("-requested_at", "-id"),
                "indexes": [
                    models.Index(fields=["tenant", "state", "next_attempt_at"], name="inventory_due"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["waiting", "running"])),
                        fields=("tenant", "request"),
                        name="inventory_one_at_a_time",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "InventoryHit",
            fields=[
                ("id", ID),
                ("scope_ids", ArrayField(models.UUIDField(), default=list)),
                ("store", models.CharField(max_length=64)),
                ("item_id", models.UUIDField()),
                ("part", models.CharField(blank=True, max_length=32)),
                ("page", models.PositiveIntegerField(null=True)),
                ("target_type", models.CharField(blank=True, max_length=16)),
                ("target_id", models.UUIDField(null=True)),
                ("target_part", models.CharField(blank=True, max_length=16)),
                ("char_start", models.PositiveIntegerField()),
                ("char_end", models.PositiveIntegerField()),
                ("how", models.CharField(max_length=16)),
                ("matched", models.CharField(max_length=16)),
                ("confidence", models.FloatField()),
                ("is_certain", models.BooleanField()),
                (
                    "decision",
                    models.CharField(
                        choices=[("open", "Open"), ("confirmed", "It is the person"), ("cleared", "It stays")],
                        default="open",
                        max_length=16,
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("named", "It names the person"),
                            ("identified", "A number or an address of the person"),
                            ("described", "It describes the person, so that they can be identified"),
                            ("somebody_else", "Somebody else with that name"),
                            ("no_person", "No person at all: a word like it"),
                            ("17_3_b", "The person; it must stay by law (Article 17(3)(b))"),
                            ("17_3_e", "The person; it must stay for legal claims (Article 17(3)(e))"),
                        ],
                        max_length=16,
                    ),
                ),
                ("words", models.BinaryField(null=True)),
                ("decided_by_id", models.UUIDField(null=True)),
                ("decided_at", models.DateTimeField(null=True)),
                ("inventory", TenantForeignKey("audit.inventory", models.PROTECT, related_name="hits")),
                ("request", TenantForeignKey("audit.erasurerequest", models.PROTECT, related_name="inventory_hits")),
                ("tenant", TENANT),
                ("hidden", models.BinaryField(null=True)),
                (
                    "quoting",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("quoted", "Quoted"),
                            ("left_out", "Not quoted, because of the rights of others (Article 15(4))"),
                        ],
                        max_length=16,
                    ),
                ),
                ("carried_from_id", models.UUIDField(null=True)),
            ],
            options={
                "ordering": ("store", "item_id", "char_start", "id"),
                "indexes": [
                    models.Index(fields=["tenant", "target_id"], name="inventory_hit_by_target"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "request", "store", "item_id", "part", "char_start", "char_end"),
                        name="inventory_hit_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("decided_at__isnull", True),
                                ("decided_by_id__isnull", True),
                                ("decision", "open"),
                                ("reason", ""),
                            ),
                            models.Q(
                                models.Q(("decision", "open"), _negated=True),
                                models.Q(("reason", ""), _negated=True),
                                ("decided_at__isnull", False),
                                ("decided_by_id__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="inventory_hit_decided_by_somebody",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("hidden__isnull", True), ("quoting", "")),
                            models.Q(
                                ("decision", "confirmed"),
                                models.Q(
                                    ("quoting", "quoted"),
                                    models.Q(("hidden__isnull", True), ("quoting", "left_out")),
                                    _connector="OR",
                                ),
                            ),
                            _connector="OR",
                        ),
                        name="inventory_hit_quoted_if_confirmed",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("carried_from_id__isnull", True), ("decision", "cleared"), _connector="OR"),
                        name="inventory_hit_carried_if_cleared",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "InventoryTreatment",
            fields=[
                ("id", ID),
                ("scope_ids", ArrayField(models.UUIDField(), default=list)),
                ("document_id", models.UUIDField()),
                (
                    "treatment",
                    models.CharField(
                        choices=[
                            ("remove", "Remove the document"),
                            ("redact", "Redact the passages, and keep the rest"),
                        ],
                        max_length=16,
                    ),
                ),
                ("chosen_by_id", models.UUIDField()),
                ("chosen_at", models.DateTimeField()),
                ("asked_at", models.DateTimeField(null=True)),
                ("redacted_id", models.UUIDField(null=True)),
                ("error_code", models.CharField(blank=True, max_length=100)),
                (
                    "request",
                    TenantForeignKey("audit.erasurerequest", models.PROTECT, related_name="inventory_treatments"),
                ),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("document_id",),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "request", "document_id"), name="inventory_treated_once"),
                ],
            },
        ),
        migrations.CreateModel(
            "AccessPackage",
            fields=[
                ("id", ID),
                ("scope_ids", ArrayField(models.UUIDField(), default=list)),
                ("data_key_id", models.UUIDField()),
                ("ciphertext", models.BinaryField()),
                ("byte_size", models.PositiveIntegerField()),
                ("places", models.PositiveIntegerField()),
                ("quoted", models.PositiveIntegerField()),
                ("hidden", models.PositiveIntegerField()),
                ("made_by_id", models.UUIDField()),
                ("made_at", models.DateTimeField(db_default=Now())),
                ("expires_at", models.DateTimeField()),
                ("request", TenantForeignKey("audit.erasurerequest", models.PROTECT, related_name="packages")),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("-made_at", "-id"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "request"), name="access_package_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("expires_at__gt", models.F("made_at")),
                            ("hidden__lte", models.F("quoted")),
                            ("quoted__lte", models.F("places")),
                        ),
                        name="access_package_ends",
                    ),
                ],
            },
        ),
        EnableIsolation("ErasureRequest", by=IsolationLevel.TENANT, writes=Writes.KEEP),
        EnableIsolation("Letter", by=IsolationLevel.TENANT, writes=Writes.KEEP),
        EnableIsolation("Inventory", by=IsolationLevel.TENANT),
        EnableIsolation("InventoryHit", by=IsolationLevel.SCOPES),
        EnableIsolation("InventoryTreatment", by=IsolationLevel.SCOPES),
        EnableIsolation("AccessPackage", by=IsolationLevel.SCOPES),
        PoliciesByCommand(
            "Inventory",
            read=f"USING ({_TENANT} AND {_READS})",
            insert=f"WITH CHECK ({_TENANT} AND {_MANAGES})",
            update=f"USING ({_TENANT} AND {_PLATFORM}) WITH CHECK ({_TENANT} AND {_PLATFORM})",
        ),
        PoliciesByCommand(
            "InventoryHit",
            read=f"USING ({_SCOPES} AND {_READS})",
            insert=f"WITH CHECK ({_SCOPES} AND {_PLATFORM})",
            update=f"USING ({_SCOPES} AND {_MANAGES}) WITH CHECK ({_SCOPES} AND {_MANAGES})",
        ),
        PoliciesByCommand(
            "InventoryTreatment",
            read=f"USING ({_SCOPES} AND {_READS})",
            insert=f"WITH CHECK ({_SCOPES} AND {_MANAGES})",
            update=f"USING ({_SCOPES} AND {_MANAGES}) WITH CHECK ({_SCOPES} AND {_MANAGES})",
        ),
        PoliciesByCommand(
            "AccessPackage",
            read=f"USING ({_SCOPES} AND {_MANAGES})",
            insert=f"WITH CHECK ({_SCOPES} AND {_MANAGES})",
        ),
        RunSqlFile("requests.sql"),
        HoldFlow("apps.privacy.codes.life.REQUESTS"),
        RunSqlFile("inventories.sql"),
        RunSqlFile("access_packages.sql"),
        Stamp(
            "ErasureRequest",
            created_at="made",
            identity_asked_at="time",
            identity_confirmed_at="time",
            extended_at="time",
            restricted_at="time",
            proposed_at="time",
            approved_at="time",
            finished_at="time",
        ),
        Stamp("Letter", created_at="made", sent_at="time"),
        Stamp("Inventory", requested_at="made"),
        # The platform carries a person's decision over to a redacted version, with its time (sql/inventories.sql).
        Stamp("InventoryHit", decided_at="own"),
        Stamp("InventoryTreatment", chosen_at="time"),
        Stamp("AccessPackage", made_at="made"),
    ]
