"""Read numbers, dates and periods from text, and the headings of a table's columns."""
