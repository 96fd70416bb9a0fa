"""The Go injector."""

from injectors.go.injector import GoInjector

__all__ = ["GoInjector"]
