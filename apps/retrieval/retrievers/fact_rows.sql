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

-- name: cells
-- The figures of these passages that are facts of the group, in the order of the text.
SELECT c.id, f.cell_start - c.char_start, f.cell_end - c.char_start, f.concept, f.fiscal_year, f.fiscal_quarter,
       f.months, f.ends_on, f.exponent, f.currency, f.dimension
  FROM corpus_chunk c
  JOIN filings_fact f ON f.tenant_id = c.tenant_id AND f.scope_id = c.scope_id AND f.document_id = c.document_id
   AND f.page = c.page_start AND c.char_start <= f.row_start AND f.row_end <= c.char_end
 WHERE c.tenant_id = %(tenant)s::uuid AND c.scope_id = ANY (%(scopes)s::uuid[]) AND c.kind = ANY (%(kinds)s::text[])
   AND c.id = ANY (%(chunks)s::uuid[]) AND f.kind = ANY (%(kinds)s::text[]) AND f.consolidated
 ORDER BY c.id, f.cell_start, f.number
