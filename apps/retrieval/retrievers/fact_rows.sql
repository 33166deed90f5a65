-- name: rows
-- The rows that give a concept in these documents: those of a statement before those of a note, and of these the first.
-- A dimension is part of the group. One lookup per document and concept (LATERAL), as tenants' tables have no
-- statistics of their values.
SELECT row.concept, row.row_start, row.row_end, row.doubt, chunk.id, chunk.char_start
  FROM unnest(%(documents)s::uuid[]) WITH ORDINALITY AS wanted (document_id, place)
 CROSS JOIN unnest(%(concepts)s::text[]) WITH ORDINALITY AS asked (concept, number)
 CROSS JOIN LATERAL (
     SELECT f.document_id, f.concept, f.page, f.row_start, f.row_end,
            coalesce(max(f.check_detail) FILTER (WHERE f.check_result = 'failed'), '') AS doubt
       FROM filings_fact f
      WHERE f.tenant_id = %(tenant)s::uuid AND f.scope_id = ANY (%(scopes)s::uuid[])
        AND f.kind = ANY (%(kinds)s::text[])
        AND f.document_id = wanted.document_id AND f.concept = asked.concept AND f.consolidated
      GROUP BY f.document_id, f.concept, f.page, f.row_start, f.row_end
      ORDER BY bool_or(f.statement <> '') DESC, bool_and(f.dimension = '') DESC, min(f.number)
      LIMIT %(each)s
 ) AS row
 CROSS JOIN LATERAL (
     SELECT c.id, c.char_start
       FROM corpus_chunk c
      WHERE c.tenant_id = %(tenant)s::uuid AND c.scope_id = ANY (%(scopes)s::uuid[])
        AND c.kind = ANY (%(kinds)s::text[]) AND c.document_id = row.document_id AND NOT c.is_parent
        AND c.page_start = row.page AND c.char_start <= row.row_start AND row.row_end <= c.char_end
      LIMIT 1
 ) AS chunk
 ORDER BY wanted.place, asked.number, row.row_start, chunk.id
 LIMIT %(most)s
