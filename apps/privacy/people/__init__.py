"""Find a person in the texts that a tenant holds. No text that this package reads is ever logged."""
