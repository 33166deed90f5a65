"""Numbers in passages: what they stand under, the rows of statements, and what is worked out of them."""
