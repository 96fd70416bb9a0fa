"""What differs between languages: a wing each, and one table."""
