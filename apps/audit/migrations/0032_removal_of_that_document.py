"""The removal of a document removes that document: what the person who approves it is shown, and nothing beside it."""

from django.db import migrations

from apps.audit.migrations._decided import RedefineFunction

_DOCUMENTS_ALONE = "WHERE r.origin = 'removal' AND a.type <> 'document'"
_THAT_DOCUMENT = "WHERE r.origin = 'removal' AND (a.type <> 'document' OR a.item_id IS DISTINCT FROM r.origin_id)"
_SAID = "'the removal of a document is of documents alone'"
_SAID_NOW = "'the removal of a document is of that document alone'"


class Migration(migrations.Migration):
    dependencies = [("audit", "0031_inventory_unread_files")]

    operations = [
        RedefineFunction("audit_removal_target_added()", (_DOCUMENTS_ALONE, _THAT_DOCUMENT, 1), (_SAID, _SAID_NOW, 1))
    ]
