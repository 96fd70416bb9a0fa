"""Commands end when they are told to, with everything that they started."""

import os
import signal
import sys
import time
from pathlib import Path

import psutil
import pytest

from abs_audit.errors import UnfitEnvironmentError
from abs_audit.execution.local import LocalExecutor
from abs_audit.execution.reading import OUTPUT_LIMIT
from abs_audit.model.experiment import Command

IGNORES_TERM = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open(sys.argv[1], "w").write(str(os.getpid()))
        os.close(1); os.close(2)
        time.sleep(600)
    os._exit(0)
os.wait()
while not os.path.exists(sys.argv[1]):
    pass
"""


def command(folder: Path, program: str, *arguments: str, limit_s: float = 30.0, **others: object) -> Command:
    return Command(
        **(
            {
                "argv": (sys.executable, "-c", program, *arguments),
                "cwd": folder,
                "env": {},
                "limit_s": limit_s,
                "results": None,
                "network": False,
                "purpose": "a test",
            }
            | others
        )  # type: ignore[arg-type]
    )


def test_a_command_that_ignores_termination_is_killed_at_its_limit(tmp_path: Path) -> None:
    done = LocalExecutor().execute(command(tmp_path, IGNORES_TERM, limit_s=0.5))
    assert (True, -signal.SIGKILL) == (done.timed_out, done.exit_code)
    assert 10 > done.wall_s


def test_a_command_that_says_nothing_more_is_killed_before_its_limit(tmp_path: Path) -> None:
    """What says nothing at all has the whole limit: it may be starting."""
    told: list[str] = []
    results = tmp_path / "results"
    says = "import sys, time; open(sys.argv[1], 'w').write('first\\n'); time.sleep(600)"
    hanging = command(tmp_path, says, str(results), limit_s=300.0, results=results, silence_s=0.5)
    done = LocalExecutor().execute(hanging, told.append)
    assert (["first"], True) == (told, done.timed_out)
    assert done.wall_s < 300.0
    silent = command(tmp_path, "import time; time.sleep(600)", limit_s=0.6, results=results, silence_s=0.1)
    results.unlink()
    assert LocalExecutor().execute(silent, told.append).wall_s >= 0.6


def test_a_daemon_does_not_outlive_its_command(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    LocalExecutor().execute(command(tmp_path, DAEMON, str(pid_file)))
    pid = int(pid_file.read_text())
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_nothing_of_the_users_environment_reaches_the_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    monkeypatch.setenv("PIP_INDEX_URL", "y")
    program = "import os; print(sorted(set(os.environ) & {'SECRET_TOKEN', 'PIP_INDEX_URL', 'GIVEN'}))"
    measuring = LocalExecutor().execute(command(tmp_path, program, env={"GIVEN": "1"}))
    fetching = LocalExecutor().execute(command(tmp_path, program, env={"GIVEN": "1"}, network=True))
    assert ("['GIVEN']\n", "['GIVEN', 'PIP_INDEX_URL']\n") == (measuring.output, fetching.output)


def test_endless_output_is_cut_and_said_to_be(tmp_path: Path) -> None:
    program = f"import sys; [sys.stdout.write('x' * 2**20) for _ in range({OUTPUT_LIMIT // 2**20 + 2})]"
    done = LocalExecutor().execute(command(tmp_path, program))
    assert (0, True, OUTPUT_LIMIT) == (done.exit_code, done.truncated, len(done.output))


def test_whole_lines_of_a_result_file_are_handed_over_and_half_ones_are_not(tmp_path: Path) -> None:
    results = tmp_path / "results" / "lines"
    program = "import sys; open(sys.argv[1], 'w').write('one\\ntwo\\nthr')"
    lines: list[str] = []
    done = LocalExecutor().execute(command(tmp_path, program, str(results), results=results), lines.append)
    assert (["one", "two"], "one\ntwo\nthr") == (lines, done.output)


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnfitEnvironmentError, match="cannot start 'no-such-program' \\(a test\\)"):
        LocalExecutor().execute(command(tmp_path, "", argv=("no-such-program",)))


def test_a_command_runs_on_the_cpus_it_was_given(tmp_path: Path) -> None:
    one = min(os.sched_getaffinity(0))
    done = LocalExecutor((one,)).execute(
        command(tmp_path, "import os; print(sorted(os.sched_getaffinity(0)))")
    )
    assert f"[{one}]\n" == done.output


def test_killing_the_program_kills_the_command(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    child = f"import os, time; open({str(pid_file)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    parent = (
        "import sys; from pathlib import Path; from abs_audit.execution.local import LocalExecutor\n"
        "from abs_audit.model.experiment import Command\n"
        f"LocalExecutor().execute(Command(argv=(sys.executable, '-c', {child!r}), cwd=Path('.'), env={{}},"
        " limit_s=600, results=None, network=False, purpose='x'))"
    )
    starter = psutil.Popen([sys.executable, "-c", parent])
    deadline = time.monotonic() + 30
    while not (pid_file.exists() and pid_file.read_text()) and time.monotonic() < deadline:
        time.sleep(0.01)
    child_process = psutil.Process(int(pid_file.read_text()))
    starter.kill()
    starter.wait()
    gone, alive = psutil.wait_procs([child_process], timeout=10)
    assert ([child_process], []) == (gone, alive)
