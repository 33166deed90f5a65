"""The log: the Merkle tree of a tenant's events (RFC 6962), its checkpoints (signed notes) and its proofs."""
