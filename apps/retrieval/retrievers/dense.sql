-- name: nearest
-- Coverage looks up one vector per document in the index of the foreign key: LATERAL keeps the planner from reading the
-- whole table for it. The coverage row is returned even if no vector is found, which is when it matters most.
WITH live AS MATERIALIZED ({live}),
coverage AS (
    SELECT count(*) AS documents, count(*) FILTER (WHERE one.found IS NULL) AS without_vectors
      FROM live
      LEFT JOIN LATERAL (
            SELECT true AS found
              FROM {embedding} e
             WHERE e.tenant_id = %(tenant)s::uuid AND e.scope_id = live.scope_id AND e.document_id = live.id
               AND e.model = %(model)s::text
             LIMIT 1) one ON true
     WHERE live.eligible AND live.chunk_count > 0),
nearest AS (
    SELECT e.chunk_id, e.document_id, e.kind, e.vector <=> %(vector)s::halfvec AS distance
      FROM {embedding} e
      JOIN live ON live.id = e.document_id AND live.eligible
     WHERE e.tenant_id = %(tenant)s::uuid
       AND e.scope_id = ANY (%(scopes)s::uuid[])
       AND e.kind = ANY (%(kinds)s::text[])
       AND e.model = %(model)s::text
     ORDER BY distance, e.chunk_id
     LIMIT %(top_k)s::int)
SELECT coverage.documents, coverage.without_vectors, nearest.chunk_id, nearest.document_id, nearest.kind,
       1 - nearest.distance
  FROM coverage
  LEFT JOIN nearest ON true
 ORDER BY nearest.distance, nearest.chunk_id
