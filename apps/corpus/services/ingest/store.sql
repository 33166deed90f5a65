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

-- name: vectors_again
-- Of the same passages of another version of the document: all that is embedded of a passage is its header and its text.
INSERT INTO corpus_embedding384 (tenant_id, scope_id, document_id, kind, model, chunk_id, vector)
SELECT DISTINCT ON (chunk.id) chunk.tenant_id, chunk.scope_id, chunk.document_id, chunk.kind, made.model, chunk.id,
    made.vector
  FROM corpus_document other
  JOIN corpus_chunk same ON same.tenant_id = other.tenant_id AND same.scope_id = other.scope_id
   AND same.document_id = other.id AND NOT same.is_parent
  JOIN corpus_chunk chunk ON chunk.tenant_id = same.tenant_id AND chunk.scope_id = same.scope_id
   AND chunk.number = same.number AND chunk.text = same.text AND chunk.context_header = same.context_header
   AND NOT chunk.is_parent
  JOIN corpus_embedding384 made ON made.tenant_id = same.tenant_id AND made.scope_id = same.scope_id
   AND made.chunk_id = same.id
 WHERE other.tenant_id = %s AND other.scope_id = %s AND other.series_id = %s AND other.id <> %s
   AND other.content_sha256 = %s AND chunk.document_id = %s AND made.model = %s
 ORDER BY chunk.id
ON CONFLICT (tenant_id, scope_id, chunk_id, model) DO NOTHING
