"""Cuts blocks into portions worth one command."""

from collections.abc import Iterator, Sequence

from abs_audit.model.experiment import Block

# Long enough that starting the process matters little, short enough that a killed one costs little.
COMMAND_WORK_S = 25.0


def portions(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Yield the blocks in their order, in portions worth one process."""
    portion: list[Block] = []
    for block in blocks:
        portion.append(block)
        if sum(map(expected_s, portion)) >= COMMAND_WORK_S:
            yield portion
            portion = []
    if portion:
        yield portion


def expected_s(block: Block) -> float:
    """Return the time that a block will take if every iteration has its wanted duration, in seconds."""
    wanted = sum((step.iterations + step.warmup) * step.target_s for step in block.steps)
    return min(wanted, block.limit_s)


def purpose(blocks: Sequence[Block]) -> str:
    """Return what executing the blocks is for, in a few words."""
    names = list(dict.fromkeys(block.benchmark for block in blocks))
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"measuring {names[0]}{more}"
