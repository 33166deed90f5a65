"""What was removed, kept outside the database and its backups, so that a restored backup does not bring it back."""
