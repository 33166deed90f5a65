"""The export of checkpoints to a place that the database can't reach."""
