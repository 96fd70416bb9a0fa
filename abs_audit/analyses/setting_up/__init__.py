"""`init` and `config show`: what is set before anything is measured, and by whom."""
