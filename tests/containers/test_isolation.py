"""What runs in a container reaches its workspace and nothing else, and leaves nothing behind."""

import json
import os
import tempfile
import uuid
from pathlib import Path

import psutil
import pytest

from abs_audit.execution import ownership
from abs_audit.execution.confinement import NOBODY, PROCESSES, Limits
from abs_audit.execution.container import ContainerExecutor, Engine
from abs_audit.execution.reading import OUTPUT_LIMIT
from abs_audit.execution.workspace import workspace
from abs_audit.model.experiment import Workspace
from tests.containers.conftest import Run, command


def left_behind(engine: Engine, marker: str) -> tuple[int, list[int]]:
    """Count containers of ours and processes that carry a marker."""
    own = {"label": f"{ownership.OWNER}={ownership.owner()}"}
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and any(marker in word for word in process.cmdline()):
                found.append(process.pid)
        except psutil.NoSuchProcess:
            continue
    return len(engine.client.containers.list(all=True, filters=own)), found


TRIES_THE_NETWORK = """
import json, socket, sys
def attempt(what):
    try:
        return str(what())
    except OSError as error:
        return type(error).__name__
print(json.dumps([
    [name for _, name in socket.if_nameindex()],
    attempt(lambda: socket.create_connection(("192.0.2.1", 80), timeout=2)),
    attempt(lambda: socket.getaddrinfo("host.invalid", 80)),
    attempt(lambda: socket.socket(socket.AF_UNIX).connect("/var/run/docker.sock")),
]))
"""


def test_there_is_no_network_to_try(run: Run) -> None:
    assert [["lo"], "OSError", "gaierror", "FileNotFoundError"] == json.loads(run(TRIES_THE_NETWORK).output)


def test_fetching_has_a_network_and_the_users_settings_for_it(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    certificate = tmp_path / "certificate"
    certificate.write_text("trust")
    monkeypatch.setenv("PIP_CERT", str(certificate))
    monkeypatch.setenv("SECRET", "hunter2")
    program = (
        "import os, socket; print(sorted(name for _, name in socket.if_nameindex()), 'SECRET' in os.environ,"
        "'PIP_CERT' in os.environ and open(os.environ['PIP_CERT']).read())"
    )

    assert "['eth0', 'lo'] False trust\n" == run(program, network=True).output
    assert "['lo'] False False\n" == run(program).output


def test_a_workspace_below_the_callers_home_can_be_entered(
    engine: Engine, image: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory(dir=Path.home(), prefix=".abs-audit-test-") as cache:
        monkeypatch.setenv("ABS_AUDIT_CACHE", cache)
        with workspace("at home") as place:
            (place.tree / "source").write_text("text")
            executor = ContainerExecutor(engine, image, Limits(cpus=(), memory=2**27))

            done = executor.execute(
                command(place, "sh", "-c", "cd .. && cd tree && cat source && id -u >own")
            )

            assert (0, "text", str(os.getuid() or NOBODY)) == (
                done.exit_code,
                done.output,
                (place.tree / "own").read_text().strip(),
            )


TRIES_TO_WRITE = """
import json, os, sys
written = []
for path in sys.argv[1:]:
    try:
        with open(path, "a") as stream:
            stream.write("x")
        written.append(path)
    except OSError:
        pass
print(json.dumps(written))
"""


def test_nothing_outside_the_workspace_can_be_written(run: Run, place: Workspace, tmp_path: Path) -> None:
    package = Path(ownership.__file__)
    (place.root / "manifest.json").write_text("[]")
    with workspace("another") as other:
        forbidden = [
            *("/x", "/etc/x", "/usr/x", "/var/x", "/dev/x", "/proc/sys/kernel/hostname"),
            # Where the program itself lies below, what is closed to others is a small folder in memory.
            *(() if package.is_relative_to("/root") else ("/root/x",)),
            *(str(package), str(package.parent / "x"), str(tmp_path / "x"), str(tmp_path / "cache" / "x")),
            *(str(place.root / "manifest.json"), str(place.root / "lock")),
            *(str(other.tree / "x"), str(other.root / "x")),
        ]
        allowed = [str(folder / "x") for folder in (place.tree, place.home, place.results)]
        before = package.read_bytes()

        done = run(TRIES_TO_WRITE, *forbidden, *allowed, "/tmp/x")

    assert [*allowed, "/tmp/x"] == json.loads(done.output)
    assert (before, "[]") == (package.read_bytes(), (place.root / "manifest.json").read_text())
    assert [True] * 3 == [Path(path).is_file() for path in allowed]
    assert not (tmp_path / "x").exists()


def test_the_folders_that_we_write_to_cannot_be_replaced(run: Run, place: Workspace) -> None:
    if os.getuid() != 0:
        pytest.skip("whoever is not root shares these folders with the code: sudo make test")
    program = (
        "import os, sys\n"
        "for path in sys.argv[1:]:\n"
        "    try:\n        os.rename(path, path + '.old'); os.symlink('/etc', path); print(path)\n"
        "    except OSError: pass"
    )

    done = run(program, str(place.tree), str(place.results), str(place.home))

    assert (0, "") == (done.exit_code, done.output)


def test_whoever_calls_the_code_inside_has_no_powers(run: Run) -> None:
    program = (
        "import os\nprint(os.getuid() == 0)\n"
        "wanted = ('CapEff', 'CapBnd', 'NoNewPrivs', 'Cpus_allowed_list')\n"
        "for line in open('/proc/self/status'):\n"
        "    if line.startswith(wanted): print(*line.split())"
    )

    assert [
        "False",
        "CapEff: 0000000000000000",
        "CapBnd: 0000000000000000",
        "NoNewPrivs: 1",
        "Cpus_allowed_list: 0",
    ] == run(program).output.splitlines()


FORKS_WITHOUT_END = """
import os, sys, time
started = 0
while True:
    try:
        if os.fork() == 0:
            time.sleep(600)
    except BlockingIOError:
        print(started, flush=True)
        break
    started += 1
"""


def test_a_fork_bomb_ends_at_the_limit_of_processes_and_with_its_command(
    engine: Engine, image: str, place: Workspace
) -> None:
    marker = uuid.uuid4().hex
    executor = ContainerExecutor(engine, image, Limits(cpus=(), memory=2**31))

    done = executor.execute(command(place, "python3", "-c", FORKS_WITHOUT_END, marker))

    assert 0 < int(done.output) < PROCESSES
    assert (0, []) == left_behind(engine, marker)


LEAVES_A_DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
os.wait()
"""


def test_a_daemon_does_not_outlive_its_command(run: Run, engine: Engine) -> None:
    marker = uuid.uuid4().hex

    done = run(LEAVES_A_DAEMON, marker)

    assert (0, False) == (done.exit_code, done.timed_out)
    assert (0, []) == left_behind(engine, marker)


def test_a_command_that_ignores_termination_is_killed_at_its_limit(run: Run, engine: Engine) -> None:
    marker = uuid.uuid4().hex
    program = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"

    done = run(program, marker, limit_s=0.5)

    assert (True, -9, False) == (done.timed_out, done.exit_code, done.out_of_memory)
    assert (0, []) == left_behind(engine, marker)


def test_a_gigabyte_of_output_is_cut_and_fills_no_disk(run: Run, place: Workspace) -> None:
    free = psutil.disk_usage(str(place.root)).free
    program = "import sys\nfor _ in range(1000): sys.stdout.write('x' * 10**6)\nprint('the end')"

    done = run(program, limit_s=120.0)

    assert (0, True, OUTPUT_LIMIT) == (done.exit_code, done.truncated, len(done.output))
    assert done.log.endswith("the end\n")
    assert 5e8 > free - psutil.disk_usage(str(place.root)).free


def test_results_are_complete_lines_of_a_file_in_the_workspace(
    executor: ContainerExecutor, place: Workspace
) -> None:
    results, lines = place.results / "deep" / "r.jsonl", []
    program = "import sys; open(sys.argv[1], 'w').write('one\\ntwo\\nthr'); print('noise')"

    done = executor.execute(
        command(place, "python3", "-c", program, str(results), results=results), lines.append
    )

    assert (["one", "two"], "one\ntwo\nthr", "noise\n") == (lines, done.output, done.log)


@pytest.mark.parametrize("trick", ["os.symlink('/etc/hostname', path)", "os.mkfifo(path)", "os.mkdir(path)"])
def test_a_result_that_is_no_plain_file_is_none(run: Run, place: Workspace, trick: str) -> None:
    results = place.results / "r"

    done = run(f"import os, sys; path = sys.argv[1]; {trick}", str(results), results=results)

    assert (0, "") == (done.exit_code, done.output)


def test_what_the_tests_started_is_all_gone(engine: Engine) -> None:
    assert 0 == left_behind(engine, "no such marker")[0]
