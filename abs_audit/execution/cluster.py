"""Executes commands on the hosts of a cluster: one at a time on each, whatever becomes of hosts or scheduler.

dask.distributed carries commands there and what became of them back; which host gets which command, how long
it is waited for, and which answer counts, is decided here. An answer counts once: that of the attempt which
is waited for. What a host that was given up says later is not heard.
"""

import asyncio
import contextlib
import ipaddress
import os
import socket
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import dask
from distributed import Client, Future, KilledWorker, LocalCluster, Worker
from distributed.comm.addressing import parse_host_port

from abs_audit.errors import UnfitEnvironmentError, UsageError
from abs_audit.execution.local import LocalExecutor
from abs_audit.execution.workspace import cache_root
from abs_audit.model.experiment import Command, Execution, Sandbox

HOST = "host"
"""The resource that a host has one of, so that not even another user of the cluster shares it."""
ATTEMPTS = 3
"""Hosts that may be lost over one command before it is given up."""
GRACE_S = 60.0
"""Beyond a command's own limit: it has to be sent, started, and its answer brought back."""
HOST_WAIT_S = 120.0
"""A host must turn up within so many seconds, a scheduler too."""
LOOK_S = 0.2
"""Between two looks at hosts and answers."""
CONNECT_S = 10.0
PAUSE_S = 10.0
"""A host that was given up gets nothing for so long; what it may still execute keeps it busy even then."""
OWN = "local:"
SHORT_MEMORY = {
    "distributed.admin.log-length": 100,
    "distributed.admin.low-level-log-length": 100,
    "distributed.admin.events-log-length": 100,
}
"""Of schedulers: remembering each trial for its own sake would make every trial dearer than the last."""
GONE = (OSError, asyncio.CancelledError)
"""What a client raises whose scheduler does not answer: time-outs and closed connections are OSErrors."""


class _LostError(Exception):
    """A host or the scheduler went away before an answer came."""


class ClusterExecutor:
    """Hands each command to a host that is free; safe to be used by as many threads as there are hosts."""

    place: str = "cluster"

    def __init__(
        self,
        address: str,
        cpus: tuple[int, ...] = (),
        sandbox: Sandbox = Sandbox.OFF,
        wait_s: float = HOST_WAIT_S,
    ) -> None:
        """Connect; raise UnfitEnvironmentError where no scheduler answers or no host turns up.

        `address`: of a scheduler, or `local:N` for N hosts on this machine. `cpus`: what every command is
        pinned to; empty: hosts of `local:N` get a CPU each, others are left alone.
        """
        self._address, self._cpus, self._sandbox, self._wait_s = address, cpus, sandbox, wait_s
        self._closed = False
        self._change = threading.Condition()
        self._asking = threading.Lock()
        self._names: dict[str, str] = {}
        self._seen: tuple[float, list[str]] = (float("-inf"), [])
        self._busy: set[str] = set()
        self._given_up: dict[str, float] = {}
        self._own = _own_hosts(address) if address.startswith(OWN) else None
        self._client = self._connected()
        with self._taken():
            pass  # one host at least, or there is no use in beginning

    @property
    def width(self) -> int:
        """Commands that may be under way at once."""
        return max(1, len(self._hosts_or_none()))

    def execute(self, command: Command, on_line: Callable[[str], None] | None = None) -> Execution:
        """Execute on one host to the end; lines of results are handed over once it has ended."""
        for _ in range(ATTEMPTS):
            with self._taken(command.instance) as host:
                try:
                    execution = replace(self._attempt(host, command), host=self._names[host])
                except _LostError:
                    self._given_up[host] = time.monotonic()
                    continue
            if command.results is not None and on_line is not None:
                for line in execution.output.split("\n")[:-1]:
                    on_line(line)
            return execution
        raise UnfitEnvironmentError(
            f"{command.purpose}: {ATTEMPTS} hosts in turn were lost while they executed it; what was "
            "measured is kept; look after the hosts and repeat the command"
        )

    def close(self) -> None:
        """Leave the cluster; end the hosts that were started for it."""
        self._closed = True
        with contextlib.suppress(*GONE):
            self._client.close(timeout=CONNECT_S)
        if self._own is not None:
            self._own.close(timeout=CONNECT_S)

    def _connected(self) -> Client:
        try:
            return Client(self._own or self._address, timeout=CONNECT_S, set_as_default=False)
        except (*GONE, ValueError) as error:
            raise UnfitEnvironmentError(
                f"--cluster {self._address}: no scheduler answers there ({error or type(error).__name__}); "
                "start one with: dask scheduler, or use hosts of this machine: --cluster local:2"
            ) from error

    def _hosts(self) -> list[str]:
        """Return the addresses of the hosts that are there and were not given up lately, as of just now."""
        when, addresses = self._seen
        # One thread asks for all; the others wait for it only where nothing is known yet.
        if time.monotonic() > when + LOOK_S and self._asking.acquire(blocking=not addresses):
            try:
                addresses = self._asked()
            finally:
                self._asking.release()
        lately = time.monotonic() - PAUSE_S
        return [address for address in addresses if self._given_up.get(address, lately) <= lately]

    def _asked(self) -> list[str]:
        """Return the addresses of all hosts as the scheduler knows them, in the order of their names."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        able = {worker: about for worker, about in workers.items() if about["resources"].get(HOST)}
        self._names |= {address: str(about["name"]) for address, about in able.items()}
        # By name, so that a host is the same instance after it has joined again.
        addresses = sorted(able, key=lambda address: self._names[address])
        self._seen = (time.monotonic(), addresses)
        return addresses

    @contextlib.contextmanager
    def _taken(self, instance: int | None = None) -> Iterator[str]:
        """Hold a free host, or the wanted one; raise UnfitEnvironmentError where none turns up in time."""
        deadline = time.monotonic() + self._wait_s
        with self._change:
            while not (free := self._free(hosts := self._hosts_or_none(), instance)):
                if hosts:  # a busy host will be free: that is no want of hosts
                    deadline = time.monotonic() + self._wait_s
                if self._closed or time.monotonic() > deadline:
                    raise UnfitEnvironmentError(
                        f"--cluster {self._address}: no host turned up within {self._wait_s:.0f} s; let one "
                        f"join with: abs-audit worker {self._address}; what was measured is kept"
                    )
                self._change.wait(LOOK_S)
            host = free[0]
            self._busy.add(host)
        try:
            yield host
        finally:
            with self._change:
                self._busy.discard(host)
                self._change.notify_all()

    def _free(self, hosts: Sequence[str], instance: int | None) -> list[str]:
        wanted = hosts if instance is None or not hosts else [hosts[instance % len(hosts)]]
        return [host for host in wanted if host not in self._busy]

    def _hosts_or_none(self) -> list[str]:
        """Return the hosts; none while no scheduler answers, which is then called anew."""
        try:
            return self._hosts()
        except GONE:
            with contextlib.suppress(*GONE):
                self._client.close(timeout=0)
            with contextlib.suppress(UnfitEnvironmentError):
                self._client = self._connected()
            return []

    def _attempt(self, host: str, command: Command) -> Execution:
        client = self._client
        try:
            answer = client.submit(
                execute_here,
                command,
                self._pinned(host),
                self._sandbox,
                str(cache_root()),
                key=f"trial-{uuid.uuid4().hex}",  # the scheduler remembers what stands before the dash
                workers=[host],
                allow_other_workers=False,
                resources={HOST: 1},
                pure=False,
                retries=0,
            )
            return self._awaited(answer, host, time.monotonic() + command.limit_s + GRACE_S)
        except GONE as error:
            raise _LostError from error

    def _awaited(self, answer: "Future[Execution]", host: str, deadline: float) -> Execution:
        """Return the answer of a host; raise _LostError once it cannot come any more."""
        ended = threading.Event()
        # Told, not asked for: fifty threads that ask the client's one loop keep it from answering.
        answer.add_done_callback(lambda _: ended.set())
        while not ended.wait(LOOK_S):
            if self._closed or time.monotonic() > deadline or not self._there(host):
                with contextlib.suppress(*GONE):
                    answer.cancel()
                raise _LostError
        try:
            return answer.result(timeout=GRACE_S)
        except (Exception, asyncio.CancelledError) as error:
            if answer.status == "error" and not isinstance(error, KilledWorker):
                raise  # the host's own answer
            raise _LostError from error

    def _there(self, host: str) -> bool:
        """Tell whether a host is there, as far as is known: a scheduler slow to answer says nothing of it."""
        try:
            return host in self._hosts()
        except GONE:
            return True

    def _pinned(self, host: str) -> tuple[int, ...]:
        """Return the CPUs that a command on a host is pinned to."""
        if self._cpus or self._own is None:
            return self._cpus
        available = sorted(os.sched_getaffinity(0))
        return (available[sorted(self._hosts()).index(host) % len(available)],)


def _own_hosts(address: str) -> LocalCluster:
    number = address.removeprefix(OWN)
    if not number.isdigit() or int(number) < 1:
        raise UsageError(f"--cluster {address}: expected local:N with N hosts, such as local:2")
    with dask.config.set(SHORT_MEMORY):
        return LocalCluster(
            n_workers=int(number),
            threads_per_worker=1,
            resources={HOST: 1},
            dashboard_address=None,
            local_directory=tempfile.gettempdir(),
            silence_logs=50,
        )


def execute_here(command: Command, cpus: tuple[int, ...], sandbox: Sandbox, cache: str) -> Execution:
    """Execute a command on the host that this is called on, as if nobody had tried before.

    `cache`: where the workspaces of whoever asks lie; what may be written follows from it.
    """
    os.environ["ABS_AUDIT_CACHE"] = cache
    if not command.cwd.is_dir():
        raise UnfitEnvironmentError(
            f"a host of the cluster does not see {command.cwd}: the folder of ABS_AUDIT_CACHE has to lie "
            "on a file system that all hosts share"
        )
    if command.results is not None:
        # Half of an attempt that was given up may be there; its trials count with this one.
        command.results.unlink(missing_ok=True)
    return LocalExecutor(cpus, sandbox).execute(replace(command, env=dict(command.env), shared=None))


class _Host(Worker):
    """A worker that serves no pages: whoever can read them learns what is executed, and when."""

    def start_http_server(self, *_: object, **__: object) -> None:
        """Start nothing."""


def join(address: str, name: str | None, *, insecure: bool = False) -> None:
    """Be a host of a cluster until interrupted; join again whenever the scheduler was away.

    A host executes what anyone sends who can reach it. So it listens only where it reaches the scheduler.
    Raise UsageError where others can reach that, too, without a certificate, unless `insecure`.
    """
    own = _own_address(address)
    if not (own.is_loopback or address.startswith("tls://") or insecure):
        raise UsageError(
            f"worker {address}: executes what anyone sends who can reach {own}; use TLS (an address that "
            "begins with tls://, docs/clusters.md), or say --insecure where only friends can reach it"
        )
    asyncio.run(_serve(address, name, str(own)))


def _own_address(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Return this machine's address on the way to another's; nothing is sent."""
    try:
        host, port = parse_host_port(address.rpartition("://")[2], 8786)
        family, kind, _, _, endpoint = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind) as towards:
            towards.connect(endpoint)
            return ipaddress.ip_address(towards.getsockname()[0].partition("%")[0])
    except (OSError, ValueError) as error:
        raise UsageError(
            f"worker {address}: expected the address of a scheduler, such as tcp://10.0.0.1:8786 ({error})"
        ) from error


async def _serve(address: str, name: str | None, own: str) -> None:
    while True:
        with contextlib.suppress(*GONE):
            async with _Host(
                address,
                host=own,
                dashboard=False,
                nthreads=1,
                name=name,
                resources={HOST: 1},
                death_timeout=HOST_WAIT_S,
                local_directory=tempfile.gettempdir(),
            ) as worker:
                await worker.finished()
        await asyncio.sleep(1)
