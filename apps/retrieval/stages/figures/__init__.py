"""Numbers in passages: the labels and columns they belong to, the rows of statements, and calculations with them."""
