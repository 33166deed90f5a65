"""Nothing any more: who files documents of a kind is held since 0013, and the function that held it before went in 0020."""

from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("intents", "0006_two_reviewers"), ("corpus", "0002_recognised_pages")]
