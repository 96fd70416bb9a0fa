"""Python: lists the API of a library and puts probes into its bodies."""

from abs_audit.injectors.python.injector import PythonInjector

__all__ = ["PythonInjector"]
