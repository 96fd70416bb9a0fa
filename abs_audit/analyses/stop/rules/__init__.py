"""The stopping rules: samples in, a decision out, which says whether they are enough."""
