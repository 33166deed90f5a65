"""The pages of a request: the work list, its receipt, the request itself, and its steps."""
