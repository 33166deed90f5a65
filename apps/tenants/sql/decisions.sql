-- Every decision that takes a second person asks the same, whatever else its table asks.
--
-- It is refused to accounts that are in the hands of who asked, and to whoever has not just used their second factor.
-- One function for all of them: a trigger names the columns of who asked and of who decided. A table with a column of
-- the second kind and without the trigger is named by `manage.py isolation check` (catalogue/decisions.py). The
-- triggers are called zz_ so that they come after the tables' own, which say first what is wrong with a step.
--
-- `factor.used` stands in the token of a person who entered a code within the last minutes; `factor.fresh` there too,
-- and where the installation asks for none (GLASSBOX_REQUIRE_SECOND_FACTOR).

-- Arguments: the column of who asked, empty where nobody did; the column of who decides.
CREATE FUNCTION tenants_second_person() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
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
    IF NOT authz.may('factor.fresh') OR (authz.may('factor.used') AND NOT authz.may('glassbox.platform')
        AND NOT tenants_factor_stands()) THEN
        RAISE EXCEPTION 'a decision is made right after the second factor was used' USING ERRCODE = 'check_violation';
    END IF;
    IF tenants_same_hands(asked) THEN
        RAISE EXCEPTION
            'a decision is made by another person than who asked for it: both accounts are in the same hands'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER zz_second_person_confirmed_by_id BEFORE INSERT OR UPDATE ON tenants_membership
    FOR EACH ROW EXECUTE FUNCTION tenants_second_person('created_by_id', 'confirmed_by_id');
CREATE TRIGGER zz_second_person_agreed_by_id BEFORE INSERT OR UPDATE ON tenants_factorreset
    FOR EACH ROW EXECUTE FUNCTION tenants_second_person('asked_by_id', 'agreed_by_id');
