"""A version is in force from the time that its approval names, whenever that is recorded.

The recording set the time by its own clock: while it waited behind other work, the earlier version went on.
"""

from django.db import migrations

from apps.audit.migrations._decided import RedefineFunction

_WITHDRAWN_BEFORE = """        AND NOT (authz.acts_as(OLD.author_id) OR authz.may('policy.approve')) THEN
        RAISE EXCEPTION 'policy version %: it is withdrawn by its author or by who may approve', OLD.number
            USING ERRCODE = 'check_violation';
    END IF;
"""
# The lock lets approvals of a tenant, and what they put in force, take turns: the time is set by whoever has it, so that
# none of them ever lies before one that was committed earlier.
_WITHDRAWN = (
    _WITHDRAWN_BEFORE
    + """    IF step = 'approved to withdrawn' AND OLD.effective_from <= clock_timestamp() THEN
        RAISE EXCEPTION 'policy version % is in force since %', OLD.number, OLD.effective_from
            USING ERRCODE = 'check_violation';
    END IF;
    IF step IN ('in_review to approved', 'approved to active') THEN
        PERFORM FROM public.intents_policyversion
            WHERE tenant_id = NEW.tenant_id AND status = 'active' FOR NO KEY UPDATE;
    END IF;
    IF step = 'in_review to approved' AND NEW.effective_from IS NOT NULL THEN
        NEW.effective_from := greatest(NEW.effective_from, clock_timestamp());
    END IF;
    IF step = 'approved to active' AND EXISTS (
        SELECT FROM public.intents_policyversion
         WHERE tenant_id = NEW.tenant_id AND status = 'approved'
           AND (effective_from, number) < (OLD.effective_from, OLD.number)
    ) THEN
        RAISE EXCEPTION 'policy version %: versions come into force in the order of their times', OLD.number
            USING ERRCODE = 'check_violation';
    END IF;
"""
)
_BEGINS_BEFORE = """        -- The database's own clock, so that no version is ever in force before it was activated.
        NEW.valid_from := clock_timestamp();
"""
_BEGINS = """        -- When its approval says, whenever that is recorded: until then the time alone has decided.
        NEW.valid_from := CASE WHEN step = 'approved to active' THEN greatest(OLD.effective_from, (
            SELECT valid_from FROM public.intents_policyversion WHERE tenant_id = NEW.tenant_id AND status = 'active'
        )) ELSE clock_timestamp() END;
"""


class Migration(migrations.Migration):
    dependencies = [("intents", "0013_made_by_the_server")]

    operations = [
        RedefineFunction("intents_version_step()", (_WITHDRAWN_BEFORE, _WITHDRAWN, 1), (_BEGINS_BEFORE, _BEGINS, 1)),
    ]
