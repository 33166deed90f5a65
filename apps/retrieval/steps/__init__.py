"""The stages as the pipeline calls them, each with its entry in the trace. pipeline.py defines their order."""
