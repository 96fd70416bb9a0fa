"""abs-audit: would this benchmark suite notice if a method that users depend on became slower?"""

__version__ = "0.1.0"
