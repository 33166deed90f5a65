"""What the demo shows: two invented firms, their documents, and questions whose right answers are known.

Content only; `manage.py demo` does the work. Firms, funds, companies, people and figures are invented.
"""
