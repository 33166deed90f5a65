"""Evaluation questions and runs, and the impact of policy versions."""
