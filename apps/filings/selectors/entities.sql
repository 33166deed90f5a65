-- Tables of tenants have no planner statistics: each key is looked up by its index, scope by scope, and each part has a
-- limit. The scopes are those of the open scope; the wall holds them besides.

-- name: found
WITH RECURSIVE each (key) AS (
    SELECT min(first.key) FROM unnest(%(scopes)s::uuid[]) AS s (id) CROSS JOIN LATERAL (
        SELECT m.key FROM filings_entitymention m
         WHERE m.tenant_id = %(tenant)s AND m.scope_id = s.id
           AND m.key >= %(low)s COLLATE "C" AND m.key < %(high)s COLLATE "C"
         ORDER BY m.key LIMIT 1) AS first
    UNION ALL
    SELECT (
        SELECT min(further.key) FROM unnest(%(scopes)s::uuid[]) AS s (id) CROSS JOIN LATERAL (
            SELECT m.key FROM filings_entitymention m
             WHERE m.tenant_id = %(tenant)s AND m.scope_id = s.id
               AND m.key > each.key AND m.key < %(high)s COLLATE "C"
             ORDER BY m.key LIMIT 1) AS further)
      FROM each WHERE each.key IS NOT NULL
)
SELECT each.key, counted.*
  FROM each CROSS JOIN LATERAL (
      SELECT mode() WITHIN GROUP (ORDER BY m.name), count(DISTINCT m.document_id)::int, sum(m.times)::int,
             min(d.fiscal_year), max(d.fiscal_year)
        FROM filings_entitymention m
        JOIN corpus_document d ON d.tenant_id = m.tenant_id AND d.scope_id = m.scope_id AND d.id = m.document_id
       WHERE m.tenant_id = %(tenant)s AND m.scope_id = ANY (%(scopes)s::uuid[]) AND m.key = each.key
         AND d.status = %(ready)s
      HAVING count(*) > 0) AS counted
 WHERE each.key IS NOT NULL
 LIMIT %(most)s

-- name: mentions
SELECT d.id, d.title, d.company, d.fiscal_year, of_document.*
  FROM unnest(%(scopes)s::uuid[]) AS s (id)
  CROSS JOIN LATERAL (
      SELECT m.document_id, mode() WITHIN GROUP (ORDER BY m.name) AS name, sum(m.times)::int AS times,
             (array_agg(m.page ORDER BY m.page))[:%(pages)s] AS pages,
             (array_agg(m.char_start ORDER BY m.page))[:%(pages)s] AS starts,
             (array_agg(m.char_end ORDER BY m.page))[:%(pages)s] AS ends
        FROM filings_entitymention m
       WHERE m.tenant_id = %(tenant)s AND m.scope_id = s.id AND m.key = %(key)s
       GROUP BY m.document_id) AS of_document
  JOIN corpus_document d ON d.tenant_id = %(tenant)s AND d.scope_id = s.id AND d.id = of_document.document_id
 WHERE d.status = %(ready)s
 ORDER BY d.fiscal_year DESC NULLS LAST, d.title, d.id
 LIMIT %(most)s

-- name: relations
SELECT told.id, told.relation, told.subject_type, told.subject_key, told.subject_name, told.object_type,
       told.object_key, told.object_name, told.page, told.char_start, told.char_end, d.id, d.title, d.fiscal_year,
       substr(p.text, told.char_start + 1, told.char_end - told.char_start)
  FROM unnest(%(keys)s::text[]) AS wanted (key)
  CROSS JOIN unnest(%(scopes)s::uuid[]) AS s (id)
  CROSS JOIN LATERAL (
      (SELECT r.* FROM filings_relation r
        WHERE r.tenant_id = %(tenant)s AND r.scope_id = s.id AND r.subject_key = wanted.key
        ORDER BY r.document_id DESC, r.number LIMIT %(most)s)
      UNION ALL
      (SELECT r.* FROM filings_relation r
        WHERE r.tenant_id = %(tenant)s AND r.scope_id = s.id AND r.object_key = wanted.key
        ORDER BY r.document_id DESC, r.number LIMIT %(most)s)) AS told
  JOIN corpus_document d ON d.tenant_id = %(tenant)s AND d.scope_id = s.id AND d.id = told.document_id
  JOIN corpus_page p ON p.tenant_id = %(tenant)s AND p.scope_id = s.id AND p.document_id = told.document_id
                    AND p.number = told.page
 WHERE d.status = %(ready)s AND told.relation <> 'refers_to'
 ORDER BY d.fiscal_year DESC NULLS LAST, d.title, d.id, told.number
 -- One may come as that of its subject and as that of its object.
 LIMIT 2 * %(most)s

-- name: beside
SELECT other.key, mode() WITHIN GROUP (ORDER BY other.name), count(DISTINCT other.document_id)::int, count(*)::int
  FROM unnest(%(scopes)s::uuid[]) AS s (id)
  CROSS JOIN LATERAL (
      SELECT m.document_id, m.page FROM filings_entitymention m
       WHERE m.tenant_id = %(tenant)s AND m.scope_id = s.id AND m.key = %(key)s
       ORDER BY m.document_id DESC, m.page LIMIT %(pages)s) AS here
  CROSS JOIN LATERAL (
      SELECT m.key, m.name, m.document_id FROM filings_entitymention m
       WHERE m.tenant_id = %(tenant)s AND m.scope_id = s.id AND m.document_id = here.document_id
         AND m.page = here.page AND m.entity_type = ANY (%(types)s::text[]) AND m.key <> %(key)s) AS other
  JOIN corpus_document d ON d.tenant_id = %(tenant)s AND d.scope_id = s.id AND d.id = here.document_id
 WHERE d.status = %(ready)s
 GROUP BY other.key
 ORDER BY count(DISTINCT other.document_id) DESC, count(*) DESC, other.key
 LIMIT %(most)s
