-- name: given
-- The filters that came with the question. A document that does not state the fact does not meet the filter; see
-- GivenFilters.
(%(given_documents)s::uuid[] IS NULL OR d.id = ANY (%(given_documents)s::uuid[]))
AND (%(given_companies)s::text[] IS NULL OR d.company = ANY (%(given_companies)s::text[]))
AND (%(given_kinds)s::text[] IS NULL OR d.kind = ANY (%(given_kinds)s::text[]))
AND (%(given_years)s::int[] IS NULL
     OR EXISTS (SELECT FROM unnest(%(given_years)s::int[], %(given_quarters)s::int[]) AS given (year, quarter)
                 WHERE given.year = d.fiscal_year AND given.quarter IN (0, d.fiscal_quarter)))

-- name: own_periods
-- The periods of single companies, spelled out as the years and quarters (0: none) that documents state: one hash of the
-- rows, and not a comparison of each document with each company. See DocumentFilter.
(cardinality(%(own_companies)s::text[]) = 0 OR d.fiscal_year IS NULL
 OR (d.company::text, d.fiscal_year::int, coalesce(d.fiscal_quarter, 0)::int) IN
    (SELECT own.company, own.year, own.quarter
       FROM unnest(%(own_companies)s::text[], %(own_years)s::int[], %(own_quarters)s::int[])
         AS own (company, year, quarter)))

-- name: documents
-- The literal tenant repeats the check of the row-level policy, so that the planner can use indexes that begin with
-- tenant_id. `eligible` is the question's filter. A document that does not state a fact passes a filter that was read
-- from the text; see DocumentFilter. The filters that came with the question belong to `eligible` too, and not to the
-- conditions below: they say what may be found, and do not change what counts as a rare word.
SELECT d.id, d.scope_id, d.kind, d.chunk_count, d.term_count, d.terms_version,
       (cardinality(%(companies)s::text[]) = 0 OR d.company = '' OR d.company = ANY (%(companies)s::text[]))
       AND (cardinality(%(document_types)s::text[]) = 0 OR d.document_type = {unstated}
            OR d.document_type = ANY (%(document_types)s::text[]))
       AND (cardinality(%(jurisdictions)s::text[]) = 0 OR cardinality(d.jurisdictions) = 0
            OR d.jurisdictions::text[] && %(jurisdictions)s::text[])
       AND (cardinality(%(years)s::int[]) = 0 OR d.fiscal_year IS NULL
            OR EXISTS (SELECT FROM unnest(%(years)s::int[], %(quarters)s::int[]) AS wanted (fiscal_year, quarter)
                       WHERE wanted.fiscal_year = d.fiscal_year
                         AND (wanted.quarter = 0 OR wanted.quarter = d.fiscal_quarter
                              OR (d.fiscal_quarter IS NULL AND NOT %(own_quarter_only)s::bool))))
       AND {own_periods}
       AND {given}
       AS eligible
  FROM {document} d
 WHERE d.tenant_id = %(tenant)s::uuid
   AND d.scope_id = ANY (%(scopes)s::uuid[])
   AND d.kind = ANY (%(kinds)s::text[])
   AND d.id <> ALL ((SELECT restricted_documents())::uuid[])
   AND {live}
