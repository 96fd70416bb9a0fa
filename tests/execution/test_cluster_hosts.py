"""Three network namespaces as three hosts: one is killed, one cut off and healed, the scheduler restarted."""

import os
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from abs_audit.execution import cluster
from abs_audit.execution.cluster import ClusterExecutor
from abs_audit.model.experiment import Command
from tests.execution.test_cluster import PROGRAMS, Started, command

# Of this process, so that two runs of the tests on one machine do not meet.
NAMES = tuple(f"aa{os.getpid()}n{number}" for number in (1, 2, 3))
BRIDGE = f"aa{os.getpid()}b"
SUBNET = f"10.213.{os.getpid() % 250}"
PORT = 8786
TRIALS = 12


def ip(words: str) -> None:
    subprocess.run(["ip", *words.split()], check=True, capture_output=True)


class Network(Started):
    """A bridge, and three namespaces that reach it, each with a host of the cluster in it."""

    def __init__(self) -> None:
        super().__init__()
        ip(f"link add {BRIDGE} type bridge")
        ip(f"addr add {SUBNET}.254/24 dev {BRIDGE}")
        ip(f"link set {BRIDGE} up")
        for number, name in enumerate(NAMES, start=1):
            ip(f"netns add {name}")
            ip(f"link add {name} type veth peer name eth0 netns {name}")
            ip(f"link set {name} master {BRIDGE} up")
            ip(f"-n {name} addr add {SUBNET}.{number}/24 dev eth0")
            ip(f"-n {name} link set eth0 up")
            ip(f"-n {name} link set lo up")
        self.address = f"tcp://{SUBNET}.254:{PORT}"
        self.scheduler = self.start_scheduler()
        self.workers = {name: self.start_worker(name) for name in NAMES}

    def start_scheduler(self) -> "subprocess.Popen[bytes]":
        dask = [str(PROGRAMS / "dask"), "scheduler", "--host", f"{SUBNET}.254", "--port", str(PORT)]
        return self._start([*dask, "--no-dashboard"])

    def start_worker(self, name: str) -> "subprocess.Popen[bytes]":
        return self._start(
            [
                "ip",
                "netns",
                "exec",
                name,
                str(PROGRAMS / "abs-audit"),
                "worker",
                self.address,
                "--insecure",
                "--name",
                name,
            ]
        )

    def close(self) -> None:
        super().close()
        for name in NAMES:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)
            subprocess.run(["ip", "link", "del", name], check=False, capture_output=True)
        subprocess.run(["ip", "link", "del", BRIDGE], check=False, capture_output=True)


@pytest.fixture
def network() -> Iterator[Network]:
    if (not shutil.which("ip") or os.geteuid() != 0) and "CI" not in os.environ:
        pytest.skip("network namespaces need root and Debian's iproute2")
    with closing(Network()) as found:
        yield found


def finished(folder: Path, number: int) -> None:
    """Wait until so many commands have left their results."""
    deadline = time.monotonic() + 60
    while len(list(folder.glob("*.jsonl"))) < number:
        assert time.monotonic() < deadline, "no command ends"
        time.sleep(0.1)


def test_every_trial_counts_once_whatever_happens_to_hosts_and_scheduler(
    network: Network, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "GRACE_S", 4.0)
    heard: Counter[str] = Counter()
    asked = [short(command(tmp_path, 1.0, f"number{number}")) for number in range(TRIALS)]
    with closing(ClusterExecutor(network.address)) as executor, ThreadPoolExecutor(len(NAMES)) as pool:
        while executor.width < len(NAMES):
            time.sleep(0.1)
        answers = [pool.submit(executor.execute, one, lambda _: None) for one in asked]
        for number, answer in enumerate(answers):
            answer.add_done_callback(lambda _, name=f"number{number}": heard.update([name]))
        finished(tmp_path, 2)
        network.workers[NAMES[0]].send_signal(signal.SIGKILL)
        ip(f"link set {NAMES[1]} down")
        finished(tmp_path, 5)
        ip(f"link set {NAMES[1]} up")
        finished(tmp_path, 8)
        network.scheduler.kill()
        network.scheduler.wait()
        network.start_scheduler()
        ended = [answer.result(120) for answer in answers]
    assert [0] * TRIALS == [one.exit_code for one in ended]
    assert Counter({f"number{number}": 1 for number in range(TRIALS)}) == heard
    # The same as without faults: the results of each trial, and of nothing else.
    results = {path.stem: set(path.read_text().splitlines()) for path in tmp_path.glob("*.jsonl")}
    assert {f"number{number}": {"measured"} for number in range(TRIALS)} == results


def short(one: Command) -> Command:
    """Return the command with a limit that a host which was cut off soon exceeds."""
    return Command(
        argv=one.argv,
        cwd=one.cwd,
        env=one.env,
        limit_s=4.0,
        results=one.results,
        network=False,
        purpose=one.purpose,
    )
