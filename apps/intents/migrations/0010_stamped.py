"""When a policy was written, submitted and decided on, and by whom, is the server's and the token's to say."""

from django.db import migrations

from apps.tenants.stamping import Stamp


class Migration(migrations.Migration):
    dependencies = [("intents", "0009_decided")]

    operations = [
        Stamp(
            "PolicyVersion",
            created_at="made",
            author_label="label",
            approver_label="label",
            submitted_at="time",
            decided_at="time",
            effective_from="from",
        ),
        Stamp("ReviewComment", created_at="made", author_label="label"),
    ]
