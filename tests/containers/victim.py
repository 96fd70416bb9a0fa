"""Executes one command in a container, as a process that a test may end; prints what became of it.

Started as `python victim.py IMAGE COMMAND…`; writes into `results` where the result file lies.
"""

import json
import signal
import sys
from contextlib import closing
from pathlib import Path

from abs_audit.errors import UnfitEnvironmentError
from abs_audit.execution.confinement import Limits
from abs_audit.execution.container import ContainerExecutor, Engine
from abs_audit.execution.workspace import workspace
from abs_audit.model.experiment import Command


def main(image: str, *argv: str) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    lines: list[str] = []
    with workspace("victim") as place:
        results = place.results / "r"
        Path("results").write_text(str(results))
        command = Command(
            argv=(*argv, str(results)),
            cwd=place.tree,
            env={},
            limit_s=60.0,
            results=results,
            network=False,
            purpose="a test",
        )
        try:
            with closing(Engine()) as engine:
                done = ContainerExecutor(engine, image, Limits(cpus=(), memory=2**27)).execute(
                    command, lines.append
                )
            said = {"exit_code": done.exit_code, "out_of_memory": done.out_of_memory, "log": done.log}
        except UnfitEnvironmentError as error:
            said = {"error": str(error)}
    print(json.dumps({**said, "lines": lines}))


if __name__ == "__main__":
    main(*sys.argv[1:])
