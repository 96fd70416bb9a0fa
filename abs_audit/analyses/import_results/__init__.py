"""`import`: what other tools measured, brought into the session."""
