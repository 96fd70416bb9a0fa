"""Where it became slower: call trees of two commits, and which changed method explains the difference."""
