"""The questions that are answered, a folder each: how it is measured, computed, told, and shown."""
