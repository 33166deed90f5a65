"""Retention: which rules the firm keeps things by, what is due by them, and purges."""
