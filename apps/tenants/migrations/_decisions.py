"""Every decision that takes a second person asks the same, whatever else its table asks. Part of migration 0011.

One trigger for all of them: it is made with the names of the columns of who asked and of who decided. A table with a
column of the second kind and without the trigger is named by `manage.py isolation check` (catalogue/decisions.py).
"""

FORWARD = """
-- Arguments: the column of who asked, empty where nobody did; the column of who decides.
CREATE FUNCTION tenants_second_person() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    asked uuid := CASE WHEN TG_ARGV[0] <> '' THEN (to_jsonb(NEW) ->> TG_ARGV[0])::uuid END;
    decided uuid := (to_jsonb(NEW) ->> TG_ARGV[1])::uuid;
    before uuid := CASE WHEN TG_OP = 'UPDATE' THEN (to_jsonb(OLD) ->> TG_ARGV[1])::uuid END;
BEGIN
    IF decided IS NULL OR decided IS NOT DISTINCT FROM before THEN
        RETURN NEW;
    END IF;
    IF NOT authz.acts_as(decided) THEN
        RAISE EXCEPTION 'a decision is made in the decider''s own name' USING ERRCODE = 'check_violation';
    END IF;
    IF tenants_same_hands(asked) THEN
        RAISE EXCEPTION 'a decision is made by another person than who asked for it: both accounts are in the same hands'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
"""

BACKWARD = "DROP FUNCTION tenants_second_person();"


def trigger(table: str, asked: str, decided: str) -> str:
    # After the table's own (PostgreSQL runs triggers by their names), which say first what is wrong with a step.
    return (
        f"CREATE TRIGGER zz_second_person_{decided} BEFORE INSERT OR UPDATE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION tenants_second_person('{asked}', '{decided}');"
    )


def no_trigger(table: str, decided: str) -> str:
    return f"DROP TRIGGER zz_second_person_{decided} ON {table};"
