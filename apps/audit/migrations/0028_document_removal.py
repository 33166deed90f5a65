"""Runs for a document that somebody wants gone: proposed by who removes documents, of documents alone."""

from django.db import migrations, models

from apps.audit.migrations._decided import RedefineFunction

_ORIGINS = [
    ("purge", "Purge"),
    ("log", "Mending of the log"),
    ("request", "Erasure request"),
    ("removal", "Removal of a document"),
]
_STATES = (
    "proposed",
    "rejected",
    "approved",
    "executing",
    "verifying",
    "completed",
    "partially_completed",
    "failed",
)
_MANAGES = "authz.acts_as(NEW.proposed_by) AND authz.may('privacy.manage')"
_PROPOSES = (
    "authz.acts_as(NEW.proposed_by) AND (authz.may('privacy.manage')\n"
    "                OR NEW.origin = 'removal' AND authz.may('document.delete'))"
)
_REJECTS = "IF NOT (authz.may('privacy.approve') OR authz.may('privacy.manage'))"
_TAKES_BACK = (
    "IF NOT (authz.may('privacy.approve') OR authz.may('privacy.manage')\n"
    "                    OR OLD.origin = 'removal' AND authz.acts_as(OLD.proposed_by) AND authz.may('document.delete'))"
)
_ADDED = "RETURN NULL;\n    END\n"
_DOCUMENTS_ALONE = """IF EXISTS (
            SELECT FROM added a JOIN public.audit_removalrun r ON r.tenant_id = a.tenant_id AND r.id = a.run_id
             WHERE r.origin = 'removal' AND a.type <> 'document'
        ) THEN
            RAISE EXCEPTION 'the removal of a document is of documents alone' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NULL;
    END
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0027_eraser_reads_packages")]

    operations = [
        migrations.RemoveConstraint(model_name="removalrun", name="removal_known_words"),
        migrations.AlterField(
            model_name="removalrun", name="origin", field=models.CharField(choices=_ORIGINS, max_length=16)
        ),
        migrations.AddConstraint(
            model_name="removalrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("origin__in", ("purge", "log", "request", "removal")),
                    ("proof__in", ("counts", "physical")),
                    ("state__in", _STATES),
                ),
                name="removal_known_words",
            ),
        ),
        RedefineFunction("audit_removal_run_step()", (_MANAGES, _PROPOSES, 1), (_REJECTS, _TAKES_BACK, 1)),
        RedefineFunction("audit_removal_target_added()", (_ADDED, _DOCUMENTS_ALONE, 1)),
    ]
