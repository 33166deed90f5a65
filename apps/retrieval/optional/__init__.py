"""Implementations of the optional stages, and a ranking that is off as shipped. A setting enables each of them.

Each module's docstring says what it gained, measured on 22 November 2026 (apps/retrieval/README.md explains how), on 37
filings and on the project's own set. The shipped default without any of them, as the basis of comparison:

    filings: recall@1 .460, @5 .798, @10 .888, MRR .670, context .836, passed .522
    own set: recall@5 .902, MRR .794, context .906, passed .727
"""
