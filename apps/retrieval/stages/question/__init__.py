"""Read a question: its filters and subject, and the word lists and names used to read it. Knows no passages."""
