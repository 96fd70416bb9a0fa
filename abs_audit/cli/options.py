"""Options that many commands share, spelled once."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from abs_audit.analyses.stop.rules.catalogue import RULES

Subject = Annotated[Path, typer.Argument(help="Directory of the checkout to audit.", show_default=".")]
SessionFile = Annotated[
    Path, typer.Option("--session", help="Where everything measured is recorded.", metavar="FILE")
]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="Configuration instead of the checkout's own.", metavar="FILE")
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output, nothing else.")]
Seed = Annotated[int | None, typer.Option("--seed", help="Seed of every random order.", metavar="N")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Say more about what is being done.")]
Suite = Annotated[
    str | None, typer.Option("--suite", help="Framework, where the checkout holds several.", metavar="NAME")
]
Cpus = Annotated[
    str | None, typer.Option("--cpus", help="CPUs to pin measurements to, such as 1 or 0,2.", metavar="LIST")
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout", help="Longest time for one benchmark's block, in seconds.", metavar="S", min=0.001
    ),
]
Interpreter = Annotated[
    str | None, typer.Option("--interpreter", help="The language's own executable.", metavar="PATH")
]

Runner = Annotated[
    str | None, typer.Option("--runner", help="Where the suite executes.", metavar="local|container")
]
Cluster = Annotated[
    str | None,
    typer.Option("--cluster", help="Scheduler whose hosts execute, or local:N.", metavar="ADDRESS"),
]
Image = Annotated[
    str | None,
    typer.Option("--image", help="Container image with the language's toolchain.", metavar="NAME"),
]
Memory = Annotated[
    str | None,
    typer.Option("--memory", help="Memory of a container, such as 2g; else ¾ of all.", metavar="SIZE"),
]

Downstream = Annotated[
    list[str] | None,
    typer.Option(
        "--downstream",
        help="Directory, archive, git URL or (Go) module@version; repeat it.",
        metavar="DIR_OR_GIT_URL",
    ),
]
Methods = Annotated[
    Path | None,
    typer.Option("--methods", help="Trace document or one method id a line.", metavar="FILE"),
]
Slowdown = Annotated[
    str, typer.Option("--slowdown", help="Extra time ÷ own time; auto: twice the noise.", metavar="D")
]
FailUnder = Annotated[
    float | None, typer.Option("--fail-under", help="Exit 1 below this score, 0..100.", metavar="P")
]
Page = Annotated[Path | None, typer.Option("--html", help="Page to write, with pictures.", metavar="FILE")]
Source = Annotated[
    Path | None,
    typer.Argument(help="Session or result file; without it, the session.", show_default=False),
]
RemoveOutliers = Annotated[
    bool, typer.Option("--remove-outliers", help="Leave out values of at least 10 × the median.")
]
InstanceCounts = Annotated[
    str | None,
    typer.Option("--instances", help="Instances for each version, such as 1,5,20.", metavar="LIST"),
]
TrialCounts = Annotated[
    str | None, typer.Option("--trials", help="Trials on each instance, such as 1,5.", metavar="LIST")
]

Rule = StrEnum("Rule", {name: name for name in RULES})  # type: ignore[misc]
Stop = Annotated[
    Rule | None,
    typer.Option("--stop", help="Stopping rule that ends the unslowed runs, instead of a fixed number."),
]

SESSION = Path(".abs-audit/session.db")


def keys(
    seed: int | None,
    suite: str | None,
    interpreter: str | None,
    cpus: str | None,
    timeout: float | None,
) -> dict[str, Any]:
    """Return the shared options under their names in the configuration; None where not given."""
    return {
        "seed": seed,
        "suite": suite,
        "interpreter": interpreter,
        "cpus": cpus,
        "timeout_s": timeout,
    }


def place(
    runner: str | None, image: str | None, memory: str | None, cluster: str | None = None
) -> dict[str, Any]:
    """Return the options that say where a suite executes, under their names in the configuration."""
    return {"runner": runner, "image": image, "memory": memory, "cluster": cluster}
