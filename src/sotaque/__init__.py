"""sotaque: native-language benchmarks for language models, and numbers that hold up."""

__version__ = "0.1.0"
