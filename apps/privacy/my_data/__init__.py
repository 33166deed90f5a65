"""Access requests (GDPR 15): what a tenant holds about a person's own account, handed to that person."""
