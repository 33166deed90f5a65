"""A key of a person's is no older than what it stands on: a membership or a factor that begins ends those of before.

What ended the earlier one did not see a key that was being made at the same moment, and nobody else's clock is asked.
"""

from __future__ import annotations

from typing import Final

from django.db import migrations

_FORWARD: Final = """
CREATE TRIGGER tenants_personal_keys_begin AFTER INSERT ON tenants_membership FOR EACH ROW
    EXECUTE FUNCTION tenants_personal_keys_end();
CREATE TRIGGER tenants_personal_keys_begin AFTER UPDATE OF confirmed_at ON tenants_secondfactor FOR EACH ROW
    WHEN (OLD.confirmed_at IS NULL AND NEW.confirmed_at IS NOT NULL) EXECUTE FUNCTION tenants_personal_keys_end();
"""
_BACKWARD: Final = """
DROP TRIGGER tenants_personal_keys_begin ON tenants_secondfactor;
DROP TRIGGER tenants_personal_keys_begin ON tenants_membership;
"""


class Migration(migrations.Migration):
    dependencies = (("tenants", "0024_keys_in_person"),)

    operations = (migrations.RunSQL(sql=_FORWARD, reverse_sql=_BACKWARD),)
