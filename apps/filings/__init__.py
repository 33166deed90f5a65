"""Figures of filings: the concepts of finance that reports print and questions ask for."""
