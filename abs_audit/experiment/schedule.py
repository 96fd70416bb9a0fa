"""Random orders from a seed: the same seed and the same data give the same schedule."""

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def shuffled(items: Sequence[T], *key: object) -> list[T]:
    """Return the items in an order that depends on nothing but the key."""
    digest = hashlib.sha256("\0".join(map(str, key)).encode()).digest()
    order = list(items)
    random.Random(digest).shuffle(order)  # noqa: S311 - an experiment's order, no secret
    return order


def content(items: Sequence[object]) -> str:
    """Return a short name for what is in a schedule: the same key with other items names something else."""
    return hashlib.sha256(repr(items).encode()).hexdigest()[:12]
