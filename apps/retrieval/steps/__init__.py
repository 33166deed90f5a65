"""The stages as the pipeline calls them: each with its entry in the trace. Their order is in pipeline.py."""
