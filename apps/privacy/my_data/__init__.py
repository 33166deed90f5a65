"""Give a user the data that the tenant holds about their own account (Article 15 GDPR)."""
