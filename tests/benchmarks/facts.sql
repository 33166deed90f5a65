-- name: documents
INSERT INTO corpus_document (tenant_id, scope_id, kind, title, slug, document_type, source_type, company, ticker,
    fiscal_year, language, jurisdictions, external_id, series_id, version, status, error_code, error_detail, warnings,
    filename, media_type, byte_size, content_sha256, page_count, chunk_count, term_count, valid_from)
SELECT %(tenant)s, (%(scopes)s::uuid[])[1 + c %% 2], 'reference_report', 'Report ' || c || ' ' || y,
    'report-' || c || '-' || y, '10-K', 'official', 'Company ' || c, '', 2019 + y, 'en', '{}', '',
    gen_random_uuid(), 1, 'ready', '', '', '[]', 'a.pdf', 'application/pdf', 1, repeat('0', 64), 100, 0, 0, now()
  FROM generate_series(1, %(companies)s) c, generate_series(1, %(years)s) y

-- name: facts
INSERT INTO filings_fact (tenant_id, scope_id, document_id, kind, company, number, concept, tag, label, "column",
    "group", dimension, value, printed, exponent, decimals, unit, currency, fiscal_year, fiscal_quarter, months,
    statement, consolidated, restated, page, row_start, row_end, cell_start, cell_end, how_read, confidence,
    check_result, check_detail)
SELECT d.tenant_id, d.scope_id, d.id, d.kind, d.company, 2 * r + b, 'concept ' || r, '', 'Row ' || r,
    (d.fiscal_year - b)::text, '', '', 1000000 * r + d.fiscal_year - b, '1,000', 6, 0, 'money', 'USD',
    d.fiscal_year - b, 0, 12, 'income_statement', true, false, 1 + r / 20, 10, 50, 30, 35, 'pdf_table', 1, 'passed', ''
  FROM corpus_document d, generate_series(1, %(rows)s) r, generate_series(0, 1) b
 WHERE d.tenant_id = %(tenant)s
