"""The Merkle tree of a tenant's events, its checkpoints and its proofs: RFC 6962, and signed notes."""
