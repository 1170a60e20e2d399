"""Benchmarks as data: suite.toml, its checks, and the suites that come with sotaque."""
