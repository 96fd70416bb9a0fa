"""Python: lists the API of a library and puts probes into its bodies."""

from injectors.python.injector import PythonInjector

__all__ = ["PythonInjector"]
