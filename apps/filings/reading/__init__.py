"""Read facts from the tables of extracted documents, and check them against each other."""
