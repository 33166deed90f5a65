-- Facts are written and removed with their document, and no job changes one: what guards an UPDATE looks at the document
-- that a fact is taken from, and not at the one that it is given to.

REVOKE UPDATE ON filings_fact FROM glassbox_api, glassbox_worker;
