"""Approvals are refused to accounts that are in the hands of who asked: of every table that takes two people."""

from django.db import migrations

from apps.tenants.migrations import _decisions

# table, who asked, who decided. The tables above this floor are named here, since what they ask is this one's.
_DECISIONS = (
    ("tenants_membership", "created_by_id", "confirmed_by_id"),
    ("intents_policyversion", "author_id", "approver_id"),
    ("audit_removalrun", "proposed_by", "approved_by"),
    ("audit_removalrun", "unproven_asked_by", "unproven_agreed_by"),
    ("audit_erasurerequest", "proposed_by_id", "approved_by_id"),
    ("audit_retentionschedule", "author_id", "approver_id"),
    # One person releases a hold, in their own name.
    ("audit_legalhold", "", "released_by"),
)


class Migration(migrations.Migration):
    dependencies = [("tenants", "0010_people"), ("audit", "0021_redacted"), ("intents", "0007_bound")]

    operations = [
        migrations.RunSQL(sql=_decisions.FORWARD, reverse_sql=_decisions.BACKWARD),
        *(
            migrations.RunSQL(
                sql=_decisions.trigger(table, asked, decided), reverse_sql=_decisions.no_trigger(table, decided)
            )
            for table, asked, decided in _DECISIONS
        ),
    ]
