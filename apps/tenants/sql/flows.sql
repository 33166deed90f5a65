-- What every flow that takes two people holds, from its table of steps (flows/table.py).
--
-- The trigger has the table as its argument (flows/operation.py), so that no role of the application can change it. It
-- refuses every change of the state that is no step, or is not this person's step; a step without its name or without
-- what it requires; and every change of a step's columns beside that step. The names are those of the signed scope
-- token. What else a table holds of its rows, its own triggers hold, which come after this one.

-- Whether the open scope's principal takes the step.
CREATE FUNCTION tenants_takes_step(step jsonb, asked uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN CASE step ->> 'by'
        WHEN 'anyone' THEN true
        WHEN 'person' THEN NOT authz.may('glassbox.platform')
        WHEN 'author' THEN CASE WHEN asked IS NULL THEN authz.may('glassbox.platform') ELSE authz.acts_as(asked) END
        -- The platform is nobody: it signs in no name, and without one it is not another person.
        WHEN 'second' THEN NOT authz.acts_as(asked)
            AND (step ->> 'signed' <> '' OR NOT authz.may('glassbox.platform'))
        WHEN 'platform' THEN authz.may('glassbox.platform')
        WHEN 'eraser' THEN current_user = 'glassbox_eraser'
        WHEN 'database' THEN pg_trigger_depth() > 1
        ELSE false
    END AND (step -> 'may' = '[]'
        OR EXISTS (SELECT FROM jsonb_array_elements_text(step -> 'may') AS held WHERE authz.may(held)));
END
$$;
REVOKE ALL ON FUNCTION tenants_takes_step(jsonb, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenants_takes_step(jsonb, uuid) TO glassbox_api, glassbox_worker, glassbox_eraser;

CREATE FUNCTION tenants_flow_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    flow jsonb := TG_ARGV[0]::jsonb;
    later jsonb := to_jsonb(NEW);
    earlier jsonb := CASE WHEN TG_OP = 'UPDATE' THEN to_jsonb(OLD) END;
    state_before text := earlier ->> (flow ->> 'state');
    state_after text := later ->> (flow ->> 'state');
    step jsonb;
    taken jsonb;
    refused jsonb;
    problem text;
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF state_after IS DISTINCT FROM flow ->> 'first' OR EXISTS (
            SELECT FROM jsonb_object_keys(flow -> 'columns') AS filled WHERE coalesce(later ->> filled, '') <> ''
        ) THEN
            RAISE EXCEPTION '%', flow ->> 'begins' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;

    IF state_after IS DISTINCT FROM state_before THEN
        FOR step IN
            SELECT each FROM jsonb_array_elements(flow -> 'steps') WITH ORDINALITY AS listed(each, place)
             WHERE each -> 'from' ? state_before AND each ->> 'to' = state_after AND earlier @> (each -> 'where')
             ORDER BY place
        LOOP
            IF tenants_takes_step(step, (earlier ->> (step ->> 'author'))::uuid) THEN
                taken := step;
                EXIT;
            END IF;
            refused := coalesce(refused, step);
        END LOOP;
        IF taken IS NULL THEN
            problem := coalesce(nullif(refused ->> 'refusal', ''),
                format('%s can''t go from %s to %s', flow ->> 'noun', state_before, state_after));
        ELSIF taken ->> 'signed' <> '' AND authz.acts_as((later ->> (taken ->> 'signed'))::uuid) IS NOT TRUE
            OR EXISTS (SELECT FROM jsonb_array_elements_text(taken -> 'requires') AS needed
                        WHERE coalesce(later ->> needed, '') = '') THEN
            problem := taken ->> 'unsigned';
        END IF;
    END IF;
    IF problem IS NULL THEN
        SELECT said INTO problem FROM jsonb_each_text(flow -> 'columns') AS listed(name, said)
         WHERE later -> name IS DISTINCT FROM earlier -> name AND NOT coalesce(taken -> 'sets' ? name, false)
         LIMIT 1;
    END IF;
    IF problem IS NOT NULL THEN
        RAISE EXCEPTION '%', replace(problem, '{number}', coalesce(earlier ->> 'number', '')) USING ERRCODE =
            CASE WHEN refused ->> 'by' = 'eraser' THEN 'insufficient_privilege' ELSE 'check_violation' END;
    END IF;
    RETURN NEW;
END
$$;
