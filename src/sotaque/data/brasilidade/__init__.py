"""The data sets of Brasilidade, in the fields in which they are published; our own items use the same fields."""
