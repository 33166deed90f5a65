-- name: take_over
-- Step by step, each by an index: in one join, a planner without statistics would read every example for every other.
WITH wanted AS MATERIALIZED (
    SELECT e.id, e.text FROM unnest(%(examples)s::uuid[]) AS given (id)
     CROSS JOIN LATERAL (
         SELECT id, text FROM intents_goldenexample WHERE tenant_id = %(tenant)s AND id = given.id OFFSET 0
     ) AS e
), known AS MATERIALIZED (
    SELECT e.id, e.text
      FROM (SELECT id FROM intents_policyversion WHERE tenant_id = %(tenant)s AND status = 'active') AS p
     CROSS JOIN LATERAL (
         SELECT id FROM intents_policyintent WHERE tenant_id = %(tenant)s AND version_id = p.id OFFSET 0
     ) AS i
     CROSS JOIN LATERAL (
         SELECT id, text FROM intents_goldenexample WHERE tenant_id = %(tenant)s AND intent_id = i.id OFFSET 0
     ) AS e
), paired AS MATERIALIZED (
    SELECT wanted.id, min(known.id::text)::uuid AS known_id
      FROM wanted JOIN known ON known.text = wanted.text GROUP BY wanted.id
)
INSERT INTO intents_goldenvector (tenant_id, example_id, model, vector, created_at)
SELECT %(tenant)s, paired.id, %(model)s, v.vector, statement_timestamp()
  FROM paired
 CROSS JOIN LATERAL (
     SELECT vector FROM intents_goldenvector
      WHERE tenant_id = %(tenant)s AND example_id = paired.known_id AND model = %(model)s OFFSET 0
 ) AS v
    ON CONFLICT DO NOTHING
RETURNING example_id, vector

-- name: store
-- Another process may have stored the same vectors meanwhile, and the author may have removed an example.
INSERT INTO intents_goldenvector (tenant_id, example_id, model, vector, created_at)
SELECT %(tenant)s, given.example, %(model)s, given.vector::real[], statement_timestamp()
  FROM unnest(%(examples)s::uuid[], %(vectors)s::text[]) AS given (example, vector)
 WHERE EXISTS (SELECT FROM intents_goldenexample e WHERE e.tenant_id = %(tenant)s AND e.id = given.example)
    ON CONFLICT DO NOTHING
