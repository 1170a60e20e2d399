"""What can be seen of a benchmark without asking a model."""
