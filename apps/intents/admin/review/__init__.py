"""The review of a policy version, by page."""
