-- name: rows
-- The rows of these documents that give figures of the whole group, in the order of the documents and of their pages.
SELECT f.document_id, f.page, f.row_start, f.row_end, min(f.label), f.concept,
       bool_or(f.statement <> ''), bool_and(f.dimension = ''),
       coalesce(max(f.check_detail) FILTER (WHERE f.check_result = 'failed'), '')
  FROM unnest(%(documents)s::uuid[]) WITH ORDINALITY AS wanted (document_id, place)
  JOIN filings_fact f ON f.document_id = wanted.document_id
 WHERE f.tenant_id = %(tenant)s::uuid AND f.scope_id = ANY (%(scopes)s::uuid[])
   AND f.kind = ANY (%(kinds)s::text[]) AND f.consolidated
 GROUP BY wanted.place, f.document_id, f.page, f.row_start, f.row_end, f.concept
 ORDER BY wanted.place, min(f.number)
 LIMIT %(most)s

-- name: chunks
-- The passage that holds each row whole.
SELECT wanted.place, chunk.id, chunk.char_start
  FROM unnest(%(documents)s::uuid[], %(pages)s::int[], %(starts)s::int[], %(ends)s::int[]) WITH ORDINALITY
       AS wanted (document_id, page, row_start, row_end, place)
 CROSS JOIN LATERAL (
     SELECT c.id, c.char_start
       FROM corpus_chunk c
      WHERE c.tenant_id = %(tenant)s::uuid AND c.scope_id = ANY (%(scopes)s::uuid[])
        AND c.kind = ANY (%(kinds)s::text[]) AND c.document_id = wanted.document_id AND NOT c.is_parent
        AND c.page_start = wanted.page AND c.char_start <= wanted.row_start AND wanted.row_end <= c.char_end
      LIMIT 1
 ) AS chunk
 ORDER BY wanted.place, chunk.id
