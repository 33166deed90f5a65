"""The keys of the log: data keys in the database, wrapped by key-encryption keys that are not in the database."""
