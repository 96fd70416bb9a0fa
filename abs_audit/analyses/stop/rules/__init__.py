"""The stopping rules: samples in, continue or stop out."""
