"""Which items, in which order, and exactly what a model is asked about each."""
