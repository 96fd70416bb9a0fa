"""The program: commands in, exit code out. The only place that catches everything."""

import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from abs_audit import __version__
from abs_audit.cli import (
    audit,
    chart,
    compare,
    configuration,
    detectable,
    doctor,
    export,
    image,
    import_results,
    init,
    inject,
    list_benchmarks,
    redundancy,
    report,
    rootcause,
    score,
    select,
    sensitivity,
    stability,
    stop,
    stubs,
    trace,
    variability,
    worker,
)
from abs_audit.errors import AbsAuditError, ExitCode

app = typer.Typer(
    help="Would your benchmark suite notice if a method that your users depend on became slower?",
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)
COMMANDS: dict[str, Callable[..., int]] = {
    "init": init.init,
    "doctor": doctor.doctor,
    "list": list_benchmarks.list_benchmarks,
    "trace": trace.trace,
    "stability": stability.stability,
    "inject": inject.inject,
    "score": score.score,
    "sensitivity": sensitivity.sensitivity,
    "redundancy": redundancy.redundancy,
    "select": select.select,
    "stubs": stubs.stubs,
    "audit": audit.audit,
    "report": report.report,
    "compare": compare.compare,
    "variability": variability.variability,
    "detectable": detectable.detectable,
    "chart": chart.chart,
    "stop": stop.stop,
    "rootcause": rootcause.rootcause,
    "worker": worker.worker,
    "import": import_results.import_results,
    "export": export.export,
}
for name, command in COMMANDS.items():
    app.command(name)(command)
app.add_typer(configuration.app, name="config")
app.add_typer(image.app, name="image")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"abs-audit {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Would your benchmark suite notice if a method that your users depend on became slower?"""


def _terminated(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(ExitCode.TERMINATED)


def main() -> None:
    """Execute one command and leave with its exit code."""
    signal.signal(signal.SIGTERM, _terminated)
    try:
        code = app(standalone_mode=False)
    except AbsAuditError as error:
        code = _say(str(error), error.exit_code)
    except typer.TyperException as error:
        code = _say(f"{error.format_message()} See: abs-audit --help", ExitCode.USAGE)
    except (KeyboardInterrupt, typer.Abort):
        code = ExitCode.INTERRUPTED
    except SystemExit:
        code = ExitCode.TERMINATED
    except Exception:
        code = _say(f"this is a bug of abs-audit; please report it with {_log()}", ExitCode.BUG)
    if code in (ExitCode.INTERRUPTED, ExitCode.TERMINATED):
        _say("interrupted; what was measured is kept, the same command goes on from there", code)
    sys.exit(code or 0)


def _say(message: str, code: int) -> int:
    sys.stderr.write(f"abs-audit: {message}\n")
    return code


def _log() -> Path:
    """Write what a bug report needs and return where."""
    with tempfile.NamedTemporaryFile("w", prefix="abs-audit-", suffix=".log", delete=False) as stream:
        stream.write(f"abs-audit {__version__}, Python {sys.version}\n{sys.argv}\n{traceback.format_exc()}")
    return Path(stream.name)
