-- name: pages
INSERT INTO corpus_page (tenant_id, scope_id, document_id, number, text, extracted, ocr_confidence, ocr_words)
SELECT %s, %s, %s, t.*
FROM unnest(%s::int[], %s::text[], %s::bool[], %s::float8[], %s::jsonb[]) AS t

-- name: parents
INSERT INTO corpus_chunk (tenant_id, scope_id, document_id, kind, is_parent, number, text, context_header, page_start,
    page_end, char_start, char_end, sec_item, section, token_count, content_sha256)
SELECT %s, %s, %s, %s, true, t.*
FROM unnest(%s::int[], %s::text[], %s::text[], %s::int[], %s::int[], %s::int[], %s::int[], %s::text[], %s::text[],
    %s::int[], %s::text[]) AS t

-- name: children
INSERT INTO corpus_chunk (tenant_id, scope_id, document_id, kind, is_parent, parent_id, number, text, context_header,
    page_start, page_end, char_start, char_end, sec_item, section, token_count, content_sha256)
SELECT %s, %s, %s, %s, false, parent.id, t.number, t.text, t.context_header, t.page_start, t.page_end, t.char_start,
    t.char_end, t.sec_item, t.section, t.token_count, t.content_sha256
FROM unnest(%s::int[], %s::text[], %s::text[], %s::int[], %s::int[], %s::int[], %s::int[], %s::text[], %s::text[],
    %s::int[], %s::text[], %s::int[]) AS t (number, text, context_header, page_start, page_end, char_start,
    char_end, sec_item, section, token_count, content_sha256, parent_number)
LEFT JOIN corpus_chunk parent ON parent.tenant_id = %s AND parent.scope_id = %s AND parent.document_id = %s
    AND parent.is_parent AND parent.number = t.parent_number

-- name: postings
INSERT INTO corpus_posting (tenant_id, scope_id, document_id, kind, term, chunk_numbers, term_frequencies,
    chunk_term_counts)
SELECT %s, %s, %s, %s, t.term, t.numbers::int[], t.frequencies::int[], t.lengths::int[]
FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[]) AS t (term, numbers, frequencies, lengths)

-- name: vectors
-- store.py puts in the table of another dimension.
INSERT INTO corpus_embedding384 (tenant_id, scope_id, document_id, kind, model, chunk_id, vector)
SELECT %s, %s, %s, %s, %s, t.chunk_id, t.vector::halfvec FROM unnest(%s::uuid[], %s::text[]) AS t (chunk_id, vector)
ON CONFLICT (tenant_id, scope_id, chunk_id, model) DO NOTHING
