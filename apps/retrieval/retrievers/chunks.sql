-- name: chunks
-- Plain rows are read instead of model instances, because two rankings find a hundred passages. Documents are read in a
-- query of their own: in a join, the planner either takes the documents first and reads all their chunks, or looks up
-- the document again for each chunk.
SELECT c.id, c.parent_id, c.document_id, coalesce(nullif(c.section, ''), c.sec_item), {columns}
  FROM {chunk} c
 WHERE c.tenant_id = %(tenant)s::uuid
   AND c.scope_id = ANY (%(scopes)s::uuid[])
   AND c.kind = ANY (%(kinds)s::text[])
   AND c.is_parent = false
   AND {which}
 ORDER BY c.number, c.id

-- name: documents
SELECT d.id, d.language, {columns}
  FROM {document} d
 WHERE d.tenant_id = %(tenant)s::uuid
   AND d.scope_id = ANY (%(scopes)s::uuid[])
   AND d.id = ANY (%(documents)s::uuid[])
   AND d.id <> ALL ((SELECT restricted_documents())::uuid[])
   AND {live}
   AND {own_periods}
   AND {given}

-- name: by_number
-- One lookup per passage (LATERAL, kept separate by OFFSET 0): if pairs were compared, every chunk of the scope would
-- be read.
c.id = ANY (ARRAY(
    SELECT one.id
      FROM unnest(%(documents)s::uuid[], %(numbers)s::int[]) AS wanted (document_id, number)
     CROSS JOIN LATERAL (
         SELECT n.id FROM {chunk} n
          WHERE n.tenant_id = %(tenant)s::uuid AND n.scope_id = ANY (%(scopes)s::uuid[])
            AND n.document_id = wanted.document_id AND n.is_parent = false AND n.number = wanted.number
         OFFSET 0
     ) AS one
))

-- name: by_parent
c.parent_id IN (
    SELECT p.parent_id FROM {chunk} p
     WHERE p.tenant_id = %(tenant)s::uuid AND p.scope_id = ANY (%(scopes)s::uuid[])
       AND p.kind = ANY (%(kinds)s::text[]) AND p.id = ANY (%(ids)s::uuid[])
)
