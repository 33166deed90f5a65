"""Embedding providers: text in, unit vectors out, one Protocol whoever computes them.

`registry.provider_for` is the only door that the rest of the application uses; it holds the residency rule. There is
no fallback from one provider to another: a failure is a typed error, and the caller decides what it means.
"""
