-- Facts are derived from passages, and what holds for passages holds for them (apps/corpus/sql/contents.sql).

CREATE TRIGGER filings_fact_by_job_insert AFTER INSERT ON filings_fact REFERENCING NEW TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION corpus_contents_by_job();
CREATE TRIGGER filings_fact_by_job_update AFTER UPDATE ON filings_fact REFERENCING OLD TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION corpus_contents_by_job();
CREATE TRIGGER filings_fact_by_job_delete AFTER DELETE ON filings_fact REFERENCING OLD TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION corpus_contents_by_job();
