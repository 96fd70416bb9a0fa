"""The Go injector."""

from abs_audit.injectors.go.injector import GoInjector

__all__ = ["GoInjector"]
