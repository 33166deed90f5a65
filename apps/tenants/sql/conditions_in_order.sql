-- Put the policy that keeps conditions in order before every table behind the wall (authz.conditions_in_order). Applied
-- by apps/tenants/provision.py after every migration, to every table in `guarded`; it can be repeated.
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN
        SELECT g.relname FROM guarded g JOIN pg_class c ON c.relname = g.relname AND c.relnamespace = 'public'::regnamespace
         WHERE c.relrowsecurity AND NOT EXISTS (
               SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'conditions_in_order')
    LOOP
        EXECUTE format('CREATE POLICY conditions_in_order ON public.%I AS RESTRICTIVE FOR ALL TO PUBLIC '
                       'USING (authz.conditions_in_order())', name);
    END LOOP;
END
$$;
