"""Cuts blocks into portions worth one command, and says where its results go."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from abs_audit.model.experiment import Block, Workspace
from abs_audit.wording import some

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


def step_limit_s(block: Block, least_s: float) -> float:
    """Return the time after which a step of a block is given up; `least_s`: what it gets in any case."""
    return max(block.limit_s / max(1, len(block.steps)), min(block.limit_s, least_s))


def purpose(blocks: Sequence[Block]) -> str:
    """Return what executing the blocks is for, in a few words."""
    return f"measuring {some(list(dict.fromkeys(block.benchmark for block in blocks)), 1)}"


def digest(text: str) -> str:
    """Return a short name for a text."""
    return sha256(text.encode()).hexdigest()[:16]


def results_of(workspace: Workspace, name: str, plan: str) -> Path:
    """Return the file that a driver writes to when it executes a plan; its folder exists, the file does not.

    Blocks of a session never repeat, so neither does its name; what an interrupted try left is void.
    """
    results = workspace.results / f"{name}-{digest(plan)}.jsonl"
    for folder in (results.parent, workspace.home):
        folder.mkdir(parents=True, exist_ok=True)
    results.unlink(missing_ok=True)
    return results
