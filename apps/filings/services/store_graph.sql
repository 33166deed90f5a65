-- name: forget_mentions
DELETE FROM filings_entitymention WHERE tenant_id = %s AND scope_id = %s AND document_id = %s

-- name: forget_relations
DELETE FROM filings_relation WHERE tenant_id = %s AND scope_id = %s AND document_id = %s

-- name: mentions
INSERT INTO filings_entitymention (tenant_id, scope_id, document_id, kind, entity_type, key, name, page, char_start,
    char_end, times)
SELECT %s, %s, %s, %s, t.*
FROM unnest(%s::text[], %s::text[], %s::text[], %s::int[], %s::int[], %s::int[], %s::int[]) AS t

-- name: relations
INSERT INTO filings_relation (tenant_id, scope_id, document_id, kind, number, relation, subject_type, subject_key,
    subject_name, object_type, object_key, object_name, page, char_start, char_end,
    target_page)
SELECT %s, %s, %s, %s, t.*
FROM unnest(%s::int[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::int[],
    %s::int[], %s::int[], %s::int[]) AS t
