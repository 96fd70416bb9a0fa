"""Everything that can go wrong for a user: one exception for each decision of the reader.

A message says what was expected, what was found, where, and the next command.
"""

import re
from collections.abc import Sequence
from enum import IntEnum
from typing import Self

_PASSWORD = re.compile(r"(?<=://)[^/\s@'\"]+(?=@)")


class ExitCode(IntEnum):
    """What the process tells its caller (contract: exit codes)."""

    DONE = 0
    GATE_FAILED = 1
    USAGE = 2
    CONTROL_FAILED = 3
    INCOMPLETE = 4
    MISMATCH = 5
    UNFIT = 6
    BUG = 70
    INTERRUPTED = 130
    UNREAD = 141
    TERMINATED = 143


class AbsAuditError(Exception):
    """Base of all expected errors; carries the exit code."""

    exit_code = ExitCode.USAGE

    @classmethod
    def of(cls, complaints: Sequence[str]) -> Self:
        """Return one error for several complaints; what is said twice is told once."""
        different = list(dict.fromkeys(complaints))
        if len(different) == 1:
            return cls(different[0])
        listed = (f"  - {complaint}" for complaint in different)
        return cls("\n".join([f"{len(different)} things are wrong:", *listed]))


class UsageError(AbsAuditError):
    """The command line, the configuration or an input file is not what it should be."""

    exit_code = ExitCode.USAGE


class NothingChosenError(UsageError):
    """The command line leaves nothing of a suite; where a checkout has several, it may mean another one."""


class ControlFailedError(AbsAuditError):
    """The unslowed subject does not build or none of its benchmarks runs."""

    exit_code = ExitCode.CONTROL_FAILED

    def __init__(self, message: str, log: str = "") -> None:
        """`log`: all that the command said which failed, of which the message has a part."""
        super().__init__(message)
        self.log = log


class MismatchError(AbsAuditError):
    """Recorded results and the tree at hand do not belong together."""

    exit_code = ExitCode.MISMATCH


class UnfitEnvironmentError(AbsAuditError):
    """This machine lacks something (toolchain, engine, space) or is too noisy for a verdict."""

    exit_code = ExitCode.UNFIT


def without_passwords(text: str) -> str:
    """Return the text without the user names and passwords of its URLs."""
    return _PASSWORD.sub("***", text)
