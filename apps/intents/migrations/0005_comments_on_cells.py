"""Comments on a cell of a policy version, with answers by which they are resolved or opened again."""

from __future__ import annotations

from django.db import migrations, models

from apps.tenants.models.base import TenantForeignKey
from apps.tenants.operations import PoliciesByCommand, RunSqlFile

_TENANT = "tenant_id = (SELECT authz.tenant())"
_MAY_SPEAK = "((SELECT authz.may('policy.edit')) OR (SELECT authz.may('policy.approve')))"


class Migration(migrations.Migration):
    dependencies = [("intents", "0004_profile")]

    operations = [
        migrations.AddField(
            "ReviewComment",
            "revision",
            models.PositiveIntegerField(default=0, editable=False),
        ),
        migrations.AddField(
            "ReviewComment", "about_intent", models.CharField(blank=True, db_default="", default="", max_length=40)
        ),
        migrations.AddField(
            "ReviewComment", "about_kind", models.CharField(blank=True, db_default="", default="", max_length=32)
        ),
        migrations.AddField("ReviewComment", "stood", models.TextField(blank=True, default="", editable=False)),
        migrations.AddField(
            "ReviewComment",
            "answers",
            TenantForeignKey(
                "intents.reviewcomment", models.PROTECT, blank=True, editable=False, null=True, related_name="replies"
            ),
        ),
        migrations.AddField(
            "ReviewComment",
            "turn",
            models.CharField(
                blank=True,
                choices=[("", "Says something"), ("resolved", "Resolves it"), ("reopened", "Opens it again")],
                db_default="",
                default="",
                max_length=8,
            ),
        ),
        migrations.AddConstraint(
            "ReviewComment",
            models.CheckConstraint(
                condition=models.Q(("answers__isnull", False), ("turn", ""), _connector="OR"),
                name="review_comment_answer_turns",
            ),
        ),
        migrations.AddConstraint(
            "ReviewComment",
            models.CheckConstraint(
                condition=models.Q(
                    ("answers__isnull", True),
                    models.Q(("about_intent", ""), ("about_kind", "")),
                    _connector="OR",
                ),
                name="review_comment_answer_of_its_cell",
            ),
        ),
        migrations.AddConstraint(
            "ReviewComment",
            models.CheckConstraint(
                condition=models.Q(
                    ("turn__in", ["", "resolved", "reopened"]),
                ),
                name="review_comment_known_turn",
            ),
        ),
        migrations.AddConstraint(
            "ReviewComment",
            models.CheckConstraint(
                condition=models.Q(
                    models.Q(("text", ""), _negated=True), models.Q(("turn", ""), _negated=True), _connector="OR"
                ),
                name="review_comment_says_something",
            ),
        ),
        # Nobody speaks in another's name, nor without a part in the review.
        PoliciesByCommand(
            "ReviewComment",
            read=f"USING ({_TENANT})",
            insert=f"WITH CHECK ({_TENANT} AND authz.acts_as(author_id) AND {_MAY_SPEAK})",
        ),
        RunSqlFile("discussion.sql"),
    ]
