"""Whatever fails is no evidence, loses nothing, leaves nothing behind, and the message says what to do."""

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from abs_audit.errors import UnfitEnvironmentError
from abs_audit.execution.confinement import Limits
from abs_audit.execution.container import ContainerExecutor, Engine
from abs_audit.model.experiment import Workspace
from tests.containers.conftest import Run, command
from tests.containers.private_engine import IMAGE, PrivateEngine

VICTIM = Path(__file__).parent / "victim.py"
ROOT = Path(__file__).parents[2]
# Writes a complete line, as a benchmark does that is done, and goes on.
WRITES_AND_STAYS = ("sh", "-c", 'echo "complete" >"$1"; exec sleep 50', "sh")
GROWS = "x = bytearray(10**9)"


def test_a_command_that_runs_out_of_memory_is_no_evidence(run: Run) -> None:
    done = run(f"print('half a result', flush=True); {GROWS}")

    assert (True, -9, "") == (done.out_of_memory, done.exit_code, done.output)


def test_a_child_that_runs_out_of_memory_makes_no_evidence_of_a_parent_that_ends_well(
    run: Run, place: Workspace
) -> None:
    results, lines = place.results / "r", []
    program = (
        "import os, sys\n"
        f"if os.fork() == 0:\n    {GROWS}\n"
        "os.wait()\nopen(sys.argv[1], 'w').write('looks complete\\n')"
    )

    done = run(program, str(results), results=results)

    assert (0, True, "", []) == (done.exit_code, done.out_of_memory, done.output, lines)
    assert "looks complete\n" == results.read_text()


def test_temporary_files_count_as_memory(run: Run) -> None:
    done = run("open('/tmp/big', 'wb').write(b'x' * 10**7 * 30)")

    assert done.out_of_memory


def test_an_image_that_is_missing_is_named_with_the_commands_that_get_it(engine: Engine) -> None:
    with pytest.raises(UnfitEnvironmentError) as caught:
        ContainerExecutor(engine, "no-such-image:1", Limits(cpus=(), memory=None))

    for part in ("image no-such-image:1", "never fetches", "docker pull", "abs-audit image build"):
        assert part in str(caught.value)


def test_an_image_that_is_removed_meanwhile_is_missed(engine: Engine, image: str, place: Workspace) -> None:
    again = engine.client.images.build(fileobj=_dockerfile(image), tag="abs-audit-test:gone", forcerm=True)[0]
    executor = ContainerExecutor(engine, "abs-audit-test:gone", Limits(cpus=(), memory=None))
    engine.client.images.remove(str(again.id), force=True)

    with pytest.raises(UnfitEnvironmentError, match="the engine does not have it"):
        executor.execute(command(place, "true"))


def _dockerfile(base: str) -> io.BytesIO:
    return io.BytesIO(f"FROM {base}\nLABEL made={time.time_ns()}\n".encode())


@pytest.mark.parametrize("address", ["unix:///nonexistent/socket", "tcp://127.0.0.1:1", "nonsense://x"])
def test_where_no_engine_answers_it_is_said_how_to_start_one(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("DOCKER_HOST", address)

    with pytest.raises(UnfitEnvironmentError, match=r"no container engine answers .*--runner local"):
        Engine()


def test_cpus_that_the_engine_does_not_have_are_refused_by_it(
    engine: Engine, image: str, place: Workspace
) -> None:
    executor = ContainerExecutor(engine, image, Limits(cpus=(4095,), memory=None))

    with pytest.raises(UnfitEnvironmentError, match="the container engine refused"):
        executor.execute(command(place, "true"))


def test_a_program_that_the_image_lacks_fails_like_any_other(
    executor: ContainerExecutor, place: Workspace
) -> None:
    done = executor.execute(command(place, "no-such-program"))

    assert (127, True) == (done.exit_code, "no-such-program" in done.log)


@contextlib.contextmanager
def victim(folder: Path, *arguments: str, **variables: str) -> Iterator["subprocess.Popen[str]"]:
    """Start the victim; yield once its container has written its line; end it in any case."""
    folder.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, str(VICTIM), *arguments],
        cwd=folder,
        env={**os.environ, "ABS_AUDIT_CACHE": str(folder / "cache"), "PYTHONPATH": str(ROOT), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while not _written(folder):
            assert process.poll() is None, process.communicate()
        yield process
    finally:
        process.kill()
        process.communicate()


def _written(folder: Path) -> bool:
    try:
        return "complete\n" == Path((folder / "results").read_text()).read_text()
    except OSError:
        return False


def owned_by(engine: Engine, pid: int) -> int:
    mine = engine.client.containers.list(all=True, filters={"label": "abs-audit.owner"})
    return sum(one.labels["abs-audit.owner"].split("/")[-2] == str(pid) for one in mine)


def test_a_run_that_is_told_to_end_takes_its_container_along(
    engine: Engine, image: str, tmp_path: Path
) -> None:
    with victim(tmp_path / "victim", image, *WRITES_AND_STAYS) as process:
        before = owned_by(engine, process.pid)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)

        assert (1, 0) == (before, owned_by(engine, process.pid))


def test_what_a_killed_run_left_behind_is_removed_by_the_next_and_what_lives_is_not(
    engine: Engine, image: str, tmp_path: Path
) -> None:
    with (
        victim(tmp_path / "dead", image, *WRITES_AND_STAYS) as dead,
        victim(tmp_path / "alive", image, *WRITES_AND_STAYS) as alive,
    ):
        dead.kill()
        dead.wait()
        left = owned_by(engine, dead.pid)

        ContainerExecutor(engine, image, Limits(cpus=(), memory=None))

        assert (1, 0, 1) == (left, owned_by(engine, dead.pid), owned_by(engine, alive.pid))
        alive.send_signal(signal.SIGINT)
        alive.wait(timeout=30)


@pytest.fixture
def private(engine: Engine, folder: Path) -> Iterator[PrivateEngine]:
    """An engine that may be stopped; `engine` first, since it makes sure that there is one to start."""
    with started(folder) as found:
        yield found


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short name: those of sockets have a limit."""
    with tempfile.TemporaryDirectory(prefix="aa-") as made:
        yield Path(made)


@contextlib.contextmanager
def started(folder: Path) -> Iterator[PrivateEngine]:
    if os.getuid() != 0 and "CI" not in os.environ:
        pytest.skip("only root can start a container engine of its own: sudo make test")
    found = PrivateEngine(folder)
    try:
        found.start()
        found.import_image()
        yield found
    finally:
        found.clear_away()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_what_ran_while_the_engine_went_away_is_no_evidence(
    private: PrivateEngine, tmp_path: Path, number: signal.Signals
) -> None:
    with victim(tmp_path / "victim", IMAGE, *WRITES_AND_STAYS, DOCKER_HOST=private.address) as process:
        private.stop(number)
        said = json.loads(process.communicate(timeout=60)[0])

    assert [] == said["lines"]
    # A kill may come while the engine still owes an answer.
    assert re.search("what was measured before is kept|no container engine answers", said["error"])
    private.start()
    with victim(tmp_path / "next", IMAGE, *WRITES_AND_STAYS, DOCKER_HOST=private.address) as after:
        assert ["running"] == private.containers()
        after.send_signal(signal.SIGINT)
        after.wait(timeout=30)
    assert [] == private.containers()


def mounted(folder: Path, size: str) -> contextlib.AbstractContextManager[None]:
    """Make a folder a small disk."""

    @contextlib.contextmanager
    def disk() -> Iterator[None]:
        if os.getuid() != 0 and "CI" not in os.environ:
            pytest.skip("only root can mount a small disk: sudo make test")
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=True)
        try:
            yield
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)

    return disk()


def test_a_full_disk_fails_the_command_and_leaves_the_next_one_alone(
    executor: ContainerExecutor, place: Workspace
) -> None:
    results = place.results / "r"
    program = "import sys; open(sys.argv[1], 'w').write('record\\n' * int(sys.argv[2]))"
    with mounted(place.results, "256k"):
        (place.results).chmod(0o777)
        full = executor.execute(
            command(place, "python3", "-c", program, str(results), "100000", results=results)
        )
        fits = executor.execute(command(place, "python3", "-c", program, str(results), "2", results=results))

    assert (1, True) == (full.exit_code, "No space left on device" in full.log)
    assert (0, "record\nrecord\n") == (fits.exit_code, fits.output)


def test_an_engine_without_space_is_said_to_refuse(
    engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch, place: Workspace
) -> None:
    with mounted(folder, "32m"), started(folder) as own:
        monkeypatch.setenv("DOCKER_HOST", own.address)
        with contextlib.closing(Engine()) as small:
            executor = ContainerExecutor(small, IMAGE, Limits(cpus=(), memory=2**27))
            before = executor.execute(command(place, "sh", "-c", "true")).exit_code
            fill(folder / "filler")

            with pytest.raises(UnfitEnvironmentError, match="no space left on device"):
                executor.execute(command(place, "sh", "-c", "true"))

            assert (0, []) == (before, own.containers())
            (folder / "filler").unlink()
            assert 0 == executor.execute(command(place, "sh", "-c", "true")).exit_code


def fill(path: Path) -> None:
    with contextlib.suppress(OSError), path.open("wb", buffering=0) as stream:
        while stream.write(b"x" * 4096):
            pass


def test_an_engine_that_is_stopped_is_seen_before_a_container_is_made(
    private: PrivateEngine, monkeypatch: pytest.MonkeyPatch, place: Workspace
) -> None:
    monkeypatch.setenv("DOCKER_HOST", private.address)
    with contextlib.closing(Engine()) as seen:
        executor = ContainerExecutor(seen, IMAGE, Limits(cpus=(), memory=2**27))
        private.stop()

        with pytest.raises(UnfitEnvironmentError, match="no container engine answers"):
            executor.execute(command(place, "sh", "-c", "true"))


def test_nothing_is_left_on_the_engine(engine: Engine) -> None:
    assert [] == engine.client.containers.list(all=True, filters={"label": "abs-audit.owner"})
    assert [] == engine.client.images.list("abs-audit-test:gone")
