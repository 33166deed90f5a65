"""What was found of a person is decided while the request is assessed: whoever decides keeps the request where it is.

Asked without a lock, a decision that was not committed yet outlasted the proposal and its approval, and a transaction
that sees what was there when it began (REPEATABLE READ) never saw them: what was approved then was not what stood there.
"""

from django.db import migrations

from apps.audit.migrations._decided import RedefineFunction

_ASKED = "    is_assessed := EXISTS (\n"
_LOCKED = """    IF manages THEN
        PERFORM FROM public.audit_erasurerequest r
          WHERE r.tenant_id = NEW.tenant_id AND r.id = NEW.request_id FOR SHARE;
    END IF;
"""
# By its name it comes before audit_accesspackage_step, which asks whether the request is assessed.
_PACKAGE = """
CREATE FUNCTION audit_accesspackage_at_once() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM FROM public.audit_erasurerequest r
      WHERE r.tenant_id = NEW.tenant_id AND r.id = NEW.request_id FOR SHARE;
    RETURN NEW;
END
$$;
CREATE TRIGGER audit_accesspackage_at_once BEFORE INSERT ON audit_accesspackage
    FOR EACH ROW EXECUTE FUNCTION audit_accesspackage_at_once();
"""
_NO_PACKAGE = """
DROP TRIGGER audit_accesspackage_at_once ON audit_accesspackage;
DROP FUNCTION audit_accesspackage_at_once();
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0039_webhooks")]

    operations = [
        RedefineFunction("audit_inventory_step()", (_ASKED, _LOCKED + _ASKED, 1)),
        migrations.RunSQL(sql=_PACKAGE, reverse_sql=_NO_PACKAGE),
    ]
