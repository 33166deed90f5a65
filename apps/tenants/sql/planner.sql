-- The planner must not tell of hidden rows. Applied by apps/tenants/provision.py as superuser after every migration, to
-- every table in `guarded`; every statement can be repeated.
--
-- Row-level security hides rows, not what ANALYZE learned of them: whole values of hidden rows could be read out of
-- EXPLAIN's estimates by halving (`title < 'm'`). So no statistics are kept. Without any, every equality counts as one
-- row in two hundred, a few of them as a single row, and the planner picks any index (search took 8 times as long at
-- 50,000 passages). So constants take their place that are made of no data: how many different values such a column
-- has, as a number, or as a share of the rows where it is negative. Measured with tests/benchmarks/wall.py.

CREATE TEMP TABLE constant (attname name PRIMARY KEY, n_distinct real NOT NULL) ON COMMIT DROP;
INSERT INTO constant VALUES
    ('id', -1), ('tenant_id', 50), ('scope_id', 2), ('document_id', -0.002), ('chunk_id', -1), ('parent_id', -0.2),
    ('series_id', -1), ('slug', -1), ('membership_id', -0.2), ('user_id', -0.2), ('number', 500), ('term', 5000),
    ('kind', 5), ('is_parent', 2), ('model', 2), ('status', 2);

DO $$
DECLARE
    col record;
BEGIN
    FOR col IN
        SELECT c.relname, a.attname, a.attstattarget, k.n_distinct
          FROM guarded g JOIN pg_class c ON c.relname = g.relname AND c.relnamespace = 'public'::regnamespace
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
          LEFT JOIN constant k USING (attname)
    LOOP
        IF col.attstattarget IS DISTINCT FROM 0 THEN
            EXECUTE format('ALTER TABLE public.%I ALTER COLUMN %I SET STATISTICS 0', col.relname, col.attname);
            -- What an earlier ANALYZE left would stay for ever.
            PERFORM pg_clear_attribute_stats('public', col.relname::text, col.attname::text, false);
        END IF;
        IF col.n_distinct IS NOT NULL THEN
            PERFORM pg_restore_attribute_stats(
                'schemaname', 'public', 'relname', col.relname::text, 'attname', col.attname::text,
                'inherited', false, 'null_frac', 0::real, 'avg_width', 16, 'n_distinct', col.n_distinct);
        END IF;
    END LOOP;
END
$$;
