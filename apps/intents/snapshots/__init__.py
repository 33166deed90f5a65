"""Where a policy is read into a snapshot and written from one: as JSON content, and as a version's rows."""
