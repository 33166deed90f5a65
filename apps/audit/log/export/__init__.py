"""Where checkpoints go, out of the database's reach."""
