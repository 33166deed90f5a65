"""Check a text: find what it claims, and hold each claim against the facts and passages that its asker may reach."""
