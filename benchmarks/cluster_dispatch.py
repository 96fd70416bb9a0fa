"""What does handing a trial to a host cost, and does it grow with their number?

    python -m benchmarks.cluster_dispatch [--trials 1000 10000 100000] [--hosts 50]

Simulated hosts under a real scheduler, together in another process, answer at once: all the time that passes
is ours and distributed's. Every answer has to come exactly once. Exits 1 where one does not, or where a trial
costs more than 5 ms. 100,000 trials take some minutes.
"""

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from unittest import mock

import dask
from distributed import LocalCluster

from abs_audit.execution import cluster
from abs_audit.execution.cluster import HOST, SHORT_MEMORY, ClusterExecutor
from abs_audit.model.experiment import Command, Execution

LARGEST_S = 0.005
PORTION = 5000
"""Trials that are handed over at once: what waits is not what is measured."""
ONE_OF_MANY = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "60s",
}
"""What a host watches of itself: nothing for one, but here fifty do in one process."""
START_S = 120.0


def answered(command: Command, cpus: tuple[int, ...]) -> Execution:
    """Answer at once, with the number of the trial."""
    return Execution(
        exit_code=0,
        timed_out=False,
        out_of_memory=False,
        output=command.purpose,
        log="",
        wall_s=0.0,
        truncated=False,
    )


def trial(number: int) -> Command:
    return Command(
        argv=("true",), cwd=Path(), env={}, limit_s=60.0, results=None, network=False, purpose=str(number)
    )


@contextmanager
def simulated(hosts: int) -> Iterator[str]:
    """Yield the address of a scheduler with so many hosts, while their process lives."""
    fresh = multiprocessing.get_context("spawn")
    ours, theirs = fresh.Pipe()
    process = fresh.Process(target=serve, args=(hosts, theirs), daemon=True)
    process.start()
    try:
        if not ours.poll(START_S):
            raise TimeoutError(f"expected {hosts} hosts within {START_S:g} s")
        yield ours.recv()
    finally:
        ours.send("end")
        process.join(START_S)
        process.kill()


def serve(hosts: int, told: Connection) -> None:
    """Be a scheduler and its hosts, until told to end."""
    with (
        dask.config.set({**SHORT_MEMORY, **ONE_OF_MANY}),
        mock.patch.object(cluster, "execute_here", answered),
        LocalCluster(
            n_workers=hosts,
            threads_per_worker=1,
            processes=False,
            resources={HOST: 1},
            dashboard_address=None,
            protocol="tcp",
            silence_logs=50,
        ) as served,
    ):
        told.send(served.scheduler_address)
        told.recv()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--hosts", type=int, default=50)
    options = parser.parse_args()
    good = True
    with (
        simulated(options.hosts) as address,
        closing(ClusterExecutor(address)) as executor,
        ThreadPoolExecutor(options.hosts) as pool,
    ):
        for number in options.trials:
            begun, worked = time.monotonic(), time.process_time()
            answers: Counter[str] = Counter()
            for first in range(0, number, PORTION):
                asked = map(trial, range(first, min(first + PORTION, number)))
                answers.update(one.output for one in pool.map(executor.execute, asked))
            cost_s = (time.monotonic() - begun) / number
            cpu_s = (time.process_time() - worked) / number
            once = answers == Counter(map(str, range(number)))
            good = good and once and cost_s <= LARGEST_S
            print(
                f"{number:7} trials, {options.hosts} hosts: {1000 * cost_s:.2f} ms a trial, processor "
                f"{1000 * cpu_s:.2f} ms of the dispatcher's, once each: {once}",
                flush=True,
            )
    sys.exit(not good)


if __name__ == "__main__":
    main()
