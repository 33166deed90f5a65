"""Times and names that vouch for something are the server's and the token's, whatever is written."""

from django.db import migrations

from apps.tenants.stamping import Stamp


class Migration(migrations.Migration):
    dependencies = [("audit", "0022_recorded")]

    operations = [
        Stamp("LegalHold", placed_at="made", placed_by_label="label", released_at="time", released_by_label="label"),
        Stamp("HeldItem", added_at="made"),
        Stamp("Restriction", restricted_at="made"),
        Stamp(
            "RemovalRun",
            proposed_at="made",
            frozen_at="time",
            approved_at="time",
            rejected_at="time",
            unproven_asked_at="time",
            unproven_agreed_at="time",
        ),
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
        Stamp("AccessPackage", made_at="made"),
        Stamp("Inventory", requested_at="made"),
        # The platform carries a person's decision over to a redacted version, with its time (0020_carried).
        Stamp("InventoryHit", decided_at="own"),
        Stamp("InventoryTreatment", chosen_at="time"),
        Stamp("Purge", created_at="made", created_by_label="label"),
        Stamp("PurgePart", proposed_at="made", proposed_by_label="label"),
        Stamp(
            "RetentionSchedule",
            created_at="made",
            author_label="label",
            approver_label="label",
            submitted_at="time",
            decided_at="time",
        ),
        Stamp("RetentionCount", counted_at="made"),
        Stamp("Verification", requested_at="made", finished_at="time"),
        Stamp("Certificate", issued_at="made"),
        Stamp("Checkpoint", created_at="made"),
        Stamp("DataKey", created_at="made"),
        Stamp("TombstoneMark", created_at="made"),
        # Thousands at once: the right to write the column is cheaper than a trigger.
        migrations.RunSQL(
            sql="REVOKE INSERT ON audit_leaf FROM glassbox_worker; "
            "GRANT INSERT (tenant_id, event_id, index, hash) ON audit_leaf TO glassbox_worker",
            reverse_sql="REVOKE INSERT (tenant_id, event_id, index, hash) ON audit_leaf FROM glassbox_worker; "
            "GRANT INSERT ON audit_leaf TO glassbox_worker",
        ),
    ]
