"""What was found, in which order, and which pieces of it come into the context."""
