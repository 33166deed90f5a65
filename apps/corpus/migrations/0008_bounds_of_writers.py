"""A job writes of its own document alone, a correction keeps when its file was received, and an id names one document.

And nothing is moved from or to a scope that a request for erasure is about.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from django.db import migrations, models

from apps.tenants.operations import RunSqlFile

_BEFORE: Final = Path(__file__).parent.parent / "sql" / "contents.sql"


def put_back_contents(apps: Any, schema_editor: Any) -> None:
    """Give corpus_contents_by_job the body that it had before."""
    found = re.search(r"CREATE FUNCTION (corpus_contents_by_job\b.*?\$\$;)", _BEFORE.read_text("utf-8"), re.DOTALL)
    if found is None:
        raise LookupError(_BEFORE)
    schema_editor.execute(f"CREATE OR REPLACE FUNCTION {found[1]}", params=None)


class Migration(migrations.Migration):
    dependencies = [("corpus", "0007_moved_copies"), ("audit", "0003_privacy")]

    operations = [
        migrations.RemoveConstraint("Document", "document_moved_since"),
        migrations.AddConstraint(
            "Document",
            models.CheckConstraint(
                condition=models.Q(("moved_from_id__isnull", True)) | models.Q(("first_received_at__isnull", False)),
                name="document_moved_since",
            ),
        ),
        RunSqlFile("received_first.sql"),
        RunSqlFile("contents_of_job.sql"),
        migrations.RunPython(migrations.RunPython.noop, put_back_contents),
        RunSqlFile("one_document.sql"),
        RunSqlFile("moving.sql"),
    ]
