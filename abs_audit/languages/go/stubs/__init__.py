"""Writers of missing Go benchmarks."""
