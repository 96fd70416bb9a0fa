"""Java: lists the API of a library and puts probes into its bodies."""

from abs_audit.injectors.java.injector import JavaInjector

__all__ = ["JavaInjector"]
