"""Check whether an answer is supported by what it cites: its subject, statements, quotes and figures."""
