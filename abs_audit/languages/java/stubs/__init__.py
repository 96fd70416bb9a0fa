"""Writers of missing JMH benchmarks."""
