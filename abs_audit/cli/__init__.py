"""One file a command: options → one call → one render → exit code."""
