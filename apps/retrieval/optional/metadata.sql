-- name: headings
-- For each heading at most top_k passages are returned, in reading order (ids are in the order of creation).
WITH live AS MATERIALIZED (
    SELECT id, scope_id, kind FROM ({live}) AS d WHERE eligible
),
heading AS MATERIALIZED (
    SELECT live.id, live.scope_id, live.kind, c.section, c.sec_item, count(*) AS passages,
           (array_agg(c.id ORDER BY c.id))[1:%(top_k)s::int] AS chunk_ids
      FROM live
      JOIN {chunk} c ON c.tenant_id = %(tenant)s::uuid AND c.scope_id = live.scope_id AND c.document_id = live.id
       AND c.is_parent = false AND c.kind = live.kind
     GROUP BY live.id, live.scope_id, live.kind, c.section, c.sec_item
)
SELECT h.id, h.kind, h.section, h.sec_item, h.passages, h.chunk_ids, d.title, d.company, d.document_type,
       d.fiscal_year, d.fiscal_quarter, d.language
  FROM heading h
  JOIN {document} d ON d.tenant_id = %(tenant)s::uuid AND d.scope_id = h.scope_id AND d.id = h.id
