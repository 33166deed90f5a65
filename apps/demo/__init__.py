"""The content of the demo: two invented firms, their documents, and questions whose right answers are known.

This package holds the content; `manage.py demo` sets it up. All firms, funds, companies, people and figures are
invented.
"""
