"""What is approved is what was read. See _decided.py."""

from django.db import migrations, models

from apps.audit.migrations._decided import DECIDED_COLUMNS, DRAFTED, RedefineFunction, step, stepped

_REVISED = ("erasurerequest", "removalrun")
_AGREES = "NEW.unproven_agreed_by IS DISTINCT FROM OLD.unproven_agreed_by"
# What people say of a run, and how far it has come; not whose turn it is.
_OF_A_RUN = "state, {0}.unproven_code, {0}.unproven_asked_by, {0}.unproven_agreed_by"


class Migration(migrations.Migration):
    dependencies = [("audit", "0025_attestations")]

    operations = [
        *(
            migrations.AddField(
                model_name=name, name="revision", field=models.PositiveIntegerField(default=1, db_default=1)
            )
            for name in _REVISED
        ),
        *(
            migrations.AddField(
                model_name=name, name="decided_revision", field=models.PositiveIntegerField(null=True, editable=False)
            )
            for name in (*_REVISED, "retentionschedule")
        ),
        RedefineFunction(
            "audit_removal_run_step()", ("error_code,prepared_at", "error_code,decided_revision,prepared_at", 2)
        ),
        RedefineFunction("audit_retention_step()", DECIDED_COLUMNS),
        migrations.RunSQL(
            sql="GRANT UPDATE (decided_revision) ON audit_removalrun TO glassbox_api, glassbox_worker",
            reverse_sql="REVOKE UPDATE (decided_revision) ON audit_removalrun FROM glassbox_api, glassbox_worker",
        ),
        stepped(
            "audit_erasurerequest",
            "audit_request_stepped",
            decides=step("state", "awaiting_approval to restricted", "awaiting_approval to inventory_ready"),
            counts="NEW IS DISTINCT FROM OLD",
        ),
        stepped(
            "audit_removalrun",
            "audit_removalrun_stepped",
            decides=f"{step('state', 'proposed to approved', 'proposed to rejected')} OR {_AGREES}",
            counts="(NEW.{}) IS DISTINCT FROM (OLD.{})".format(_OF_A_RUN.format("NEW"), _OF_A_RUN.format("OLD")),
        ),
        stepped(
            "audit_retentionschedule",
            "retention_schedule_stepped",
            decides=step("status", "in_review to in_force", "in_review to rejected"),
            **DRAFTED,
        ),
    ]
