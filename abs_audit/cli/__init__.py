"""One file a command: its options, one call of an analysis, one rendering, an exit code."""
