"""Who corrects and who proposes removals is held alike in every database: by the functions as their files have them now.

A database may have rights.sql and correcting.sql as earlier releases had them, and of those releases a function for
corrections with its triggers. One that is new has nothing of this, and stays as it is. Reversing changes nothing.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

_SQL = Path(__file__).parents[1] / "sql"
_FUNCTION = re.compile(r"^CREATE (FUNCTION .*?\$\$.*?\$\$;)", re.DOTALL | re.MULTILINE)


def replace_functions(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for file in ("rights.sql", "correcting.sql"):
        for function in _FUNCTION.findall((_SQL / file).read_text(encoding="utf-8")):
            schema_editor.execute(f"CREATE OR REPLACE {function}", params=None)


class Migration(migrations.Migration):
    dependencies = [("intents", "0020_one_function_for_uploads")]

    operations = [
        migrations.RunSQL(
            """
            DROP TRIGGER IF EXISTS intents_right_held_insert ON corpus_document;
            DROP TRIGGER IF EXISTS intents_right_held_update ON corpus_document;
            """,
            migrations.RunSQL.noop,
        ),
        migrations.RunPython(replace_functions, migrations.RunPython.noop),
        migrations.RunSQL(
            """
            DROP FUNCTION IF EXISTS intents_right_held();
            DROP FUNCTION IF EXISTS intents_version_in_force(uuid);
            """,
            migrations.RunSQL.noop,
        ),
    ]
