"""The Python injector."""
