-- name: bm25
-- Reasons for the form of each step, as measured on 41,000 chunks:
-- - A posting holds one document's chunks with a term, so df is counted without unpacking, and only documents that pass
--   the filter are unpacked.
-- - Postings are read term by term (LATERAL, kept separate by OFFSET 0). With all terms in one condition, a planner
--   without fresh statistics, as after a large ingest, reads every posting of the scope (330 ms instead of 5).
-- - Chunks are grouped by one bigint (the document's place in `live`, the chunk's number), which hashes in half the
--   time of a uuid, a text and an int.
-- - The last bits of a sum of floats depend on the order of its rows. Rounding them away keeps equal scores equal, and
--   ties by chunk id stable.
-- - A chunk's id is looked up only for the hits. In a join, the planner would read every chunk of the tenant.
WITH live AS MATERIALIZED (
    SELECT id, scope_id, kind, chunk_count, term_count, eligible, row_number() OVER () AS place FROM ({live}) AS d
),
size AS MATERIALIZED (
    SELECT sum(chunk_count)::float8 AS chunks, sum(term_count)::float8 / sum(chunk_count) AS mean_length
      FROM live HAVING sum(chunk_count) > 0 AND sum(term_count) > 0
),
posted AS MATERIALIZED (
    SELECT found.document_id, wanted.term, found.chunk_numbers, found.term_frequencies, found.chunk_term_counts
      FROM unnest(%(terms)s::text[]) AS wanted (term)
     CROSS JOIN LATERAL (
         SELECT p.document_id, p.chunk_numbers, p.term_frequencies, p.chunk_term_counts
           FROM {posting} p
          WHERE p.tenant_id = %(tenant)s::uuid
            AND p.term = wanted.term
            AND p.scope_id = ANY (%(scopes)s::uuid[])
            AND p.kind = ANY (%(kinds)s::text[])
         OFFSET 0
     ) AS found
),
visible AS MATERIALIZED (
    SELECT posted.term, posted.chunk_numbers, posted.term_frequencies, posted.chunk_term_counts, live.eligible,
           live.place
      FROM posted
      JOIN live ON live.id = posted.document_id
),
weighed AS MATERIALIZED (
    SELECT wanted.term,
           wanted.weight * (%(k1)s::float8 + 1) * ln(1 + (size.chunks - f.df + 0.5) / (f.df + 0.5)) AS weight,
           %(k1)s::float8 * (1 - %(b)s::float8) AS fixed,
           %(k1)s::float8 * %(b)s::float8 / size.mean_length AS by_length
      FROM (SELECT term, sum(cardinality(chunk_numbers))::float8 AS df FROM visible GROUP BY term) AS f
      JOIN unnest(%(terms)s::text[], %(weights)s::float8[]) AS wanted (term, weight) ON wanted.term = f.term
     CROSS JOIN size
),
unpacked AS (
    SELECT v.place, w.weight, w.fixed, w.by_length, v.term = ANY (%(required)s::text[]) AS required,
           unnest(v.chunk_numbers) AS number, unnest(v.term_frequencies) AS tf,
           unnest(v.chunk_term_counts) AS length
      FROM visible v
      JOIN weighed w ON w.term = v.term
     WHERE v.eligible
),
{scored},
named AS MATERIALIZED (
    SELECT (SELECT c.id FROM {chunk} c
             WHERE c.tenant_id = %(tenant)s::uuid AND c.scope_id = live.scope_id AND c.document_id = live.id
               AND c.is_parent = false
               AND c.number = (scored.chunk & 4294967295)::int) AS id,
           live.id AS document_id, live.kind, scored.bm25_score, scored.apart
      FROM scored
      JOIN live ON live.place = scored.chunk >> 32
),
placed AS (
    SELECT id, document_id, kind, bm25_score, apart,
           row_number() OVER (PARTITION BY apart ORDER BY bm25_score DESC, id) AS rank
      FROM named
     WHERE id IS NOT NULL
)
SELECT id, document_id, kind, bm25_score, apart
  FROM placed
 WHERE rank <= CASE WHEN apart THEN %(apart_top_k)s::int ELSE %(top_k)s::int END
 ORDER BY apart, rank

-- name: scored
-- One ranking: of all chunks, or only of those that hold a required term.
scored AS (
    SELECT place << 32 | number AS chunk,
           round(1e9 * sum(weight * tf / (tf + fixed + by_length * length))) / 1e9 AS bm25_score, false AS apart
      FROM unpacked
     GROUP BY place << 32 | number
    HAVING cardinality(%(required)s::text[]) = 0 OR bool_or(required)
     ORDER BY bm25_score DESC
     FETCH FIRST (%(top_k)s::int) ROWS WITH TIES
)

-- name: scored_twice
-- Both rankings in one pass, because reading and unpacking the postings is most of the cost of a ranking.
summed AS MATERIALIZED (
    SELECT place << 32 | number AS chunk,
           round(1e9 * sum(weight * tf / (tf + fixed + by_length * length))) / 1e9 AS bm25_score,
           bool_or(required) AS required
      FROM unpacked
     GROUP BY place << 32 | number
),
scored AS (
    (SELECT chunk, bm25_score, false AS apart FROM summed
      ORDER BY bm25_score DESC FETCH FIRST (%(top_k)s::int) ROWS WITH TIES)
    UNION ALL
    (SELECT chunk, bm25_score, true FROM summed WHERE required
      ORDER BY bm25_score DESC FETCH FIRST (%(apart_top_k)s::int) ROWS WITH TIES)
)
