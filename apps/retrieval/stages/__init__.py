"""The stages of a question, each one pure function with explicit inputs."""
