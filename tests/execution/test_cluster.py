"""Commands on the hosts of a cluster: a real scheduler, real hosts that die, each answer counted once."""

import ipaddress
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import dask
import psutil
import pytest

from abs_audit.errors import UnfitEnvironmentError, UsageError
from abs_audit.execution import cluster
from abs_audit.execution.cluster import ClusterExecutor
from abs_audit.model.experiment import Command, Execution

PROGRAMS = Path(sys.executable).parent
SIDES = ("client", "scheduler", "worker")
# Says that it has begun, waits, and appends one line of results.
WORK = (
    "import pathlib, sys, time, os\n"
    "supervisor = pathlib.Path(f'/proc/{os.getppid()}/stat').read_text().rpartition(')')[2].split()\n"
    "pathlib.Path(sys.argv[1]).open('a').write(f'{os.getpid()} {supervisor[1]}\\n')\n"
    "time.sleep(float(sys.argv[3]))\n"
    "pathlib.Path(sys.argv[2]).open('a').write('measured\\n')\n"
)


def command(folder: Path, seconds: float = 0.0, name: str = "one") -> Command:
    """Return a command that leaves a line in `begun` as it starts, and its results in a file of its own."""
    results = folder / f"{name}.jsonl"
    return Command(
        argv=(sys.executable, "-c", WORK, str(folder / "begun"), str(results), str(seconds)),
        cwd=folder,
        env={},
        limit_s=60.0,
        results=results,
        network=False,
        purpose=f"measuring {name}",
    )


@pytest.fixture(scope="module")
def own() -> Iterator[ClusterExecutor]:
    with closing(ClusterExecutor("local:2")) as executor:
        yield executor


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        found: int = free.getsockname()[1]
        return found


class Started:
    """Processes that end with what started them."""

    def __init__(self) -> None:
        self._processes: list[subprocess.Popen[bytes]] = []

    def _start(self, argv: list[str]) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._processes.append(process)
        return process

    def close(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()


class Hosts(Started):
    """A scheduler and hosts as users start them, each a process that can be killed."""

    def __init__(self, port: int, protocol: str = "tcp") -> None:
        super().__init__()
        self.address = f"{protocol}://127.0.0.1:{port}"
        self._port, self._protocol = port, protocol
        self.scheduler = self.start_scheduler()

    def start_scheduler(self) -> "subprocess.Popen[bytes]":
        dask = [str(PROGRAMS / "dask"), "scheduler", "--host", "127.0.0.1", "--port", str(self._port)]
        return self._start([*dask, "--protocol", self._protocol, "--no-dashboard"])

    def start_worker(self) -> "subprocess.Popen[bytes]":
        return self._start([str(PROGRAMS / "abs-audit"), "worker", self.address])


@pytest.fixture
def hosts(port: int) -> Iterator[Hosts]:
    with closing(Hosts(port)) as found:
        yield found


def begun(folder: Path, number: int) -> list[list[int]]:
    """Return process and host of each start, once there are so many."""
    deadline = time.monotonic() + 60
    path = folder / "begun"
    while not path.exists() or path.read_text().count("\n") < number:
        assert time.monotonic() < deadline, "no command has begun"
        time.sleep(0.05)
    return [[int(word) for word in line.split()] for line in path.read_text().splitlines()]


def test_each_host_executes_one_command_at_a_time(own: ClusterExecutor, tmp_path: Path) -> None:
    asked = [command(tmp_path, 0.3, f"number{number}") for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(own.execute, asked))
    assert (2, [0] * 4) == (own.width, [one.exit_code for one in done])
    by_host: dict[int, int] = {}
    for _, parent in begun(tmp_path, 4):
        by_host[parent] = by_host.get(parent, 0) + 1
    assert 2 == len(by_host)


def test_lines_of_results_are_handed_over_once(own: ClusterExecutor, tmp_path: Path) -> None:
    lines: list[str] = []
    (tmp_path / "one.jsonl").write_text("of an attempt that was given up\n")
    assert 0 == own.execute(command(tmp_path), lines.append).exit_code
    assert ["measured"] == lines


def test_a_command_that_cannot_start_is_told_as_on_this_machine(own: ClusterExecutor, tmp_path: Path) -> None:
    broken = Command(
        argv=("/no/such/program",),
        cwd=tmp_path,
        env={},
        limit_s=5.0,
        results=None,
        network=False,
        purpose="nothing",
    )
    with pytest.raises(UnfitEnvironmentError, match="cannot start '/no/such/program'"):
        own.execute(broken)


def test_a_host_that_does_not_see_the_workspace_says_what_to_share(
    own: ClusterExecutor, tmp_path: Path
) -> None:
    with pytest.raises(UnfitEnvironmentError, match="file system that all hosts share"):
        own.execute(command(tmp_path / "elsewhere"))


@pytest.mark.parametrize("address", ["local:0", "local:many"])
def test_a_number_of_hosts_is_expected(address: str) -> None:
    with pytest.raises(UsageError, match="expected local:N"):
        ClusterExecutor(address)


def test_where_no_scheduler_answers_it_is_said_how_to_start_one(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("abs_audit.execution.cluster.CONNECT_S", 1.0)
    with pytest.raises(UnfitEnvironmentError, match="start one with: dask scheduler"):
        ClusterExecutor(f"tcp://127.0.0.1:{port}")


def test_a_cluster_without_hosts_says_how_one_joins(hosts: Hosts) -> None:
    with pytest.raises(UnfitEnvironmentError, match=f"abs-audit worker {hosts.address}"):
        ClusterExecutor(hosts.address, wait_s=1.0)


def test_a_host_that_is_killed_costs_an_attempt_and_no_answer(hosts: Hosts, tmp_path: Path) -> None:
    workers = {process.pid: process for process in (hosts.start_worker(), hosts.start_worker())}
    lines: list[str] = []
    with closing(ClusterExecutor(hosts.address)) as executor, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(executor.execute, command(tmp_path, 2.0), lines.append)
        ((child, parent),) = begun(tmp_path, 1)
        workers[parent].kill()
        assert 0 == answer.result(60).exit_code
    assert ["measured"] == lines
    # On a busy machine the other host, too, may be lost for a moment, which costs one more.
    assert len(begun(tmp_path, 2)) >= 2
    assert not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE


def test_a_scheduler_that_is_started_again_gets_its_hosts_back(hosts: Hosts, tmp_path: Path) -> None:
    hosts.start_worker()
    lines: list[str] = []
    with closing(ClusterExecutor(hosts.address)) as executor, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(executor.execute, command(tmp_path, 2.0), lines.append)
        begun(tmp_path, 1)
        hosts.scheduler.kill()
        hosts.scheduler.wait()
        hosts.start_scheduler()
        execution: Execution = answer.result(90)
    assert (0, ["measured"]) == (execution.exit_code, lines)


def test_everything_is_encrypted_where_dask_is_told_so(
    port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["openssl", "req", "-x509", "-nodes", "-newkey", "rsa:2048", "-subj", "/CN=cluster", "-days", "2"]
    subprocess.run(
        [*made, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True, text=True
    )
    sides = {f"{side}.{what}": path for side in SIDES for what, path in (("key", key), ("cert", certificate))}
    settings = {"require-encryption": True, "tls.ca-file": str(certificate)}
    settings |= {f"tls.{name}": str(path) for name, path in sides.items()}
    for name, value in settings.items():
        words = f"distributed.comm.{name}".replace("-", "_").replace(".", "__").upper()
        monkeypatch.setenv(f"DASK_{words}", str(value))
    with (
        dask.config.set({f"distributed.comm.{name}": value for name, value in settings.items()}),
        closing(Hosts(port, "tls")) as hosts,
    ):
        hosts.start_worker()
        with closing(ClusterExecutor(hosts.address)) as executor:
            lines: list[str] = []
            assert 0 == executor.execute(command(tmp_path), lines.append).exit_code
    assert ["measured"] == lines
    with pytest.raises(UnfitEnvironmentError, match="no scheduler answers"):
        ClusterExecutor(f"tcp://127.0.0.1:{port}")


def test_a_host_listens_to_the_scheduler_alone_and_serves_no_pages(hosts: Hosts) -> None:
    host = psutil.Process(hosts.start_worker().pid)
    deadline = time.monotonic() + 60
    # It has joined once it is connected, and has opened by then whatever it will.
    while not any("ESTABLISHED" == one.status for one in host.net_connections()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    listening = [one.laddr for one in host.net_connections() if one.status == "LISTEN"]
    assert ["127.0.0.1"] == [place.ip for place in listening]


def test_a_host_that_anyone_could_reach_is_refused_unless_users_insist(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    served: list[str] = []

    async def serve(address: str, _name: str | None, _own: str) -> None:
        served.append(address)

    monkeypatch.setattr(cluster, "_serve", serve)
    monkeypatch.setattr(cluster, "_own_address", lambda _: ipaddress.ip_address("10.0.0.2"))
    with pytest.raises(UsageError, match=r"anyone sends who can reach 10\.0\.0\.2; use TLS .* --insecure"):
        cluster.join("tcp://10.0.0.1:8786", None)
    cluster.join("tls://10.0.0.1:8786", None)
    cluster.join("tcp://10.0.0.1:8786", None, insecure=True)
    assert ["tls://10.0.0.1:8786", "tcp://10.0.0.1:8786"] == served


@pytest.mark.parametrize("address", ["", "tcp://", "tcp://no such host:1", "tcp://127.0.0.1:x"])
def test_an_address_that_is_none_is_named(address: str) -> None:
    with pytest.raises(UsageError, match="expected the address of a scheduler"):
        cluster.join(address, None)
