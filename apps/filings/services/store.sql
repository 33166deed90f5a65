-- name: forget
DELETE FROM filings_fact WHERE tenant_id = %s AND scope_id = %s AND document_id = %s

-- name: facts
INSERT INTO filings_fact (tenant_id, scope_id, document_id, kind, company, number, concept, tag, label, "column",
    "group", dimension, value, printed, exponent, decimals, unit, currency, starts_on, ends_on, fiscal_year,
    fiscal_quarter, months, statement, consolidated, restated, page, row_start, row_end, cell_start, cell_end,
    heading_start, heading_end, how_read, confidence, check_result, check_detail)
SELECT %s, %s, %s, %s, %s, t.*
FROM unnest(%s::int[], %s::text[], %s::text[], %s::text[], %s::text[],
    %s::text[], %s::text[], %s::numeric[], %s::text[], %s::int[], %s::int[], %s::text[], %s::text[], %s::date[],
    %s::date[], %s::int[], %s::int[], %s::int[], %s::text[], %s::bool[], %s::bool[], %s::int[], %s::int[], %s::int[],
    %s::int[], %s::int[], %s::int[], %s::int[], %s::text[], %s::numeric[], %s::text[], %s::text[]) AS t
