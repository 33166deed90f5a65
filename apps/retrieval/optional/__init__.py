"""What a slot can hold, and a ranking that is off as shipped. A setting chooses it; no question meets it unasked.

Each says what it brought, measured on 22 November 2026 (apps/retrieval/README.md tells how), on 37 filings and on the
project's own set. The shipped default without any of them, with which theirs are to be compared:

    filings: recall@1 .460, @5 .798, @10 .888, MRR .670, context .836, passed .522
    own set: recall@5 .902, MRR .794, context .906, passed .727
"""
