"""Executes commands in containers, one each: confined, thrown away whole, vouched for by the engine.

This is the only module that speaks to a container engine.
"""

import contextlib
import json
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import docker
from docker.errors import APIError, BuildError, DockerException, ImageNotFound, NotFound
from docker.models.containers import Container
from docker.types import Mount
from urllib3.exceptions import HTTPError

from abs_audit.advising import advised
from abs_audit.errors import UnfitEnvironmentError
from abs_audit.execution import confinement, ownership
from abs_audit.execution.confinement import Limits
from abs_audit.execution.reading import Capture, log_of, plain_file
from abs_audit.model.experiment import Command, Execution

# Longest wait for an answer of the engine; starting a container on a busy machine takes seconds at worst.
ANSWER_S = 60.0
DRAIN_S = 5.0
# Within which a connection is seen to be cut once the other side is dead.
CUT_S = 1.0
# An engine that just came back refuses to remove what it still ends.
REMOVAL_S = 5.0
REMOVAL_PAUSE_S = 0.5
MEMORY_SHARE = 0.75
# What the SDK lets through when a connection breaks: requests' errors are OSErrors.
BROKEN = (DockerException, OSError, HTTPError, ValueError)

GONE = (
    "the container engine went away while a container ran; what was measured before is kept. "
    "Start the engine again, then the same command goes on from there"
)


@dataclass(slots=True)
class _End:
    """How a container ended, as its engine told it."""

    exit_code: int | None = None
    out_of_memory: bool = False


class Engine:
    """A connection to the engine, by which it can vouch for a container that has ended.

    The engine's events come over one stream that is opened at the start. An engine that was stopped or
    restarted meanwhile has cut it, and what it says afterwards about older containers is no evidence.
    """

    def __init__(self) -> None:
        """Connect; raise UnfitEnvironmentError where no engine answers."""
        with _translated("looking for a container engine"):
            self.client = docker.from_env(timeout=int(ANSWER_S))
            self.info: Mapping[str, Any] = self.client.info()
            self._events = self.client.events(
                decode=True,
                filters={"event": ["die", "oom"], "label": f"{ownership.OWNER}={ownership.owner()}"},
            )
        self._heard: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        with contextlib.suppress(*BROKEN):
            for event in self._events:
                self._heard.put(event)
        self._heard.put(None)

    def offers(self) -> dict[str, bool]:
        """Return what the engine can do for a measurement."""
        return {
            "suites can be cut off from the network (containers)": True,
            "containers can be pinned to CPUs and memory nodes": bool(self.info.get("CPUSet")),
            "containers can be limited in memory": bool(self.info.get("MemoryLimit")),
            "containers can be kept from swapping": bool(self.info.get("SwapLimit")),
            "containers can be limited in processes": bool(self.info.get("PidsLimit")),
        }

    def end_of(self, name: str, limit_s: float) -> _End | None:
        """Wait for the end of a container; None: not within the limit.

        Raise UnfitEnvironmentError where the engine went away first.
        """
        end, deadline = _End(), time.monotonic() + limit_s
        while True:
            try:
                event = self._heard.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                return None
            if event is None:
                self._heard.put(None)
                raise UnfitEnvironmentError(GONE)
            if event["id"] == name and event["status"] == "oom":
                end.out_of_memory = True
            elif event["id"] == name:
                end.exit_code = int(event["Actor"]["Attributes"]["exitCode"])
                return end

    def check_alive(self) -> None:
        """Raise UnfitEnvironmentError where the engine is going down: it ends its containers first.

        An engine that ends takes no new connections; where a successor does, the old stream is cut.
        """
        try:
            with contextlib.closing(docker.from_env(timeout=int(ANSWER_S))) as client:
                client.ping()
        except BROKEN as error:
            raise UnfitEnvironmentError(GONE) from error
        with contextlib.suppress(queue.Empty):
            if self._heard.get(timeout=CUT_S) is None:
                raise UnfitEnvironmentError(GONE)

    def image(self, name: str) -> str:
        """Return the identity of an image; raise UnfitEnvironmentError where the engine does not have it."""
        with _translated(f"looking for the image {name}", name):
            return str(self.client.images.get(name).id)

    def build(self, folder: Path, name: str, arguments: Mapping[str, str]) -> str:
        """Build the Dockerfile of a folder under a name; return the image's identity."""
        with _translated(f"building the image {name}"):
            image, _ = self.client.images.build(
                path=str(folder), tag=name, buildargs=dict(arguments), rm=True, forcerm=True
            )
            return str(image.id)

    def take(self, archive: Path, name: str, environment: Mapping[str, str]) -> None:
        """Import a file system as an image under a name."""
        repository, _, tag = name.partition(":")
        changes = [f"ENV {key}={json.dumps(value)}" for key, value in environment.items()]
        with _translated(f"importing the image {name}"):
            self.client.api.import_image_from_file(str(archive), repository, tag or "latest", changes)

    def sweep(self) -> None:
        """Remove the containers that dead runs left behind."""
        with _translated("removing containers of dead runs"):
            marked = self.client.containers.list(
                all=True, filters={"label": ownership.OWNER}, ignore_removed=True
            )
            for container in marked:
                if ownership.is_abandoned(container.labels, time.time()):
                    remove(container)

    def close(self) -> None:
        """Hang up, and leave no thread behind: processes are started more safely without."""
        with contextlib.suppress(*BROKEN):
            self._events.close()
            self.client.close()
        self._listener.join(CUT_S)


@contextlib.contextmanager
def _translated(doing: str, image: str = "IMAGE") -> Iterator[None]:
    """Say of every failure of the engine what it means for the user."""
    try:
        yield
    except ImageNotFound as error:
        raise UnfitEnvironmentError(
            f"{doing}: the engine does not have it, and abs-audit never fetches an image by itself; "
            f"get it with: docker pull {image}, or build one with: abs-audit image build LANGUAGE"
        ) from error
    except BuildError as error:
        raise UnfitEnvironmentError(
            f"{doing}: {error}; name another image to build on with --base, "
            "or do without a registry: abs-audit image build LANGUAGE --offline"
        ) from error
    except APIError as error:
        raise UnfitEnvironmentError(
            f"{doing}: the container engine refused: {error.explanation or error}; "
            f"see what it offers with: {advised('doctor')}"
        ) from error
    except BROKEN as error:
        raise UnfitEnvironmentError(
            f"{doing}: no container engine answers ({error}); start it (as root: systemctl start docker, "
            "or dockerd), or do without: --runner local"
        ) from error


def remove(container: Container) -> None:
    """Kill and remove a container, if it is there and its engine answers; ask again where it refuses."""
    began_s = time.monotonic()
    while time.monotonic() - began_s < REMOVAL_S:
        try:
            container.remove(force=True, v=True)
        except NotFound:
            return
        except APIError:
            time.sleep(REMOVAL_PAUSE_S)
        except BROKEN:
            return
        else:
            return


@dataclass(slots=True)
class _Output:
    """What a container says, read while it says it."""

    out: Capture = field(default_factory=Capture)
    err: Capture = field(default_factory=Capture)

    def read(self, stream: Iterator[tuple[bytes | None, bytes | None]]) -> None:
        with contextlib.suppress(*BROKEN):
            for out, err in stream:
                self.out.add(out or b"")
                self.err.add(err or b"")


class ContainerExecutor:
    """Runs each command in a container of its own, which sees its workspace and little else.

    A result file is handed over once the container has ended and the engine vouches for it: what was
    measured while memory ran out, or under an engine that died, is no evidence, complete as it may look.
    """

    width = 1
    place: str = ""

    def __init__(self, engine: Engine, image: str, limits: Limits) -> None:
        """Take an image by name or identity, and how much of the machine it gets.

        Raise UnfitEnvironmentError where the engine does not have the image.
        """
        self._engine = engine
        self.image = engine.image(image)
        whole = int(engine.info["MemTotal"])
        self._limits = replace(limits, memory=limits.memory or int(whole * MEMORY_SHARE))
        engine.sweep()

    def execute(self, command: Command, on_line: Callable[[str], None] | None = None) -> Execution:
        """Execute to the end or the limit; raise UnfitEnvironmentError where the engine fails us."""
        started = time.monotonic()
        if command.results is not None:
            command.results.parent.mkdir(parents=True, exist_ok=True)
        confinement.give_away(command)
        output = _Output()
        end = self._run(command, output)
        starved = end is not None and end.out_of_memory
        text = "" if starved else _results(command, output.out)
        if on_line is not None and command.results is not None:
            for line in text.split("\n")[:-1]:
                on_line(line)
        return Execution(
            exit_code=-9 if end is None or end.exit_code is None else _signed(end.exit_code),
            timed_out=end is None,
            out_of_memory=starved,
            output=text,
            log=log_of(output.out, output.err),
            wall_s=time.monotonic() - started,
            truncated=output.out.truncated,
        )

    def _run(self, command: Command, output: _Output) -> _End | None:
        """Return how the container ended; None: killed at its limit."""
        container = self._create(command)
        try:
            with _translated(command.purpose):
                stream = container.attach(stream=True, demux=True, logs=False)
                reader = threading.Thread(target=output.read, args=(stream,), daemon=True)
                reader.start()
                container.start()
            end = self._engine.end_of(str(container.id), command.limit_s)
            if end is None:
                with _translated(f"{command.purpose}: killing it at its limit"):
                    container.kill()
            reader.join(DRAIN_S)
            if end is not None:
                with _translated(command.purpose):
                    container.reload()
                    end.out_of_memory |= bool(container.attrs["State"]["OOMKilled"])
                if end.exit_code and _signed(end.exit_code) < 0 and not end.out_of_memory:
                    self._engine.check_alive()
            return end
        finally:
            remove(container)

    def _create(self, command: Command) -> Container:
        mounts = [
            Mount(target=str(bind.path), source=str(bind.path), type="bind", read_only=bind.read_only)
            for bind in confinement.binds(command)
        ]
        with _translated(command.purpose):
            return self._engine.client.containers.create(
                self.image, mounts=mounts, **confinement.options(command, self._limits)
            )


def _signed(code: int) -> int:
    """Return an exit code as Python counts them: negative for the signal that ended the process."""
    return 128 - code if 128 < code <= 128 + 64 else code


def _results(command: Command, out: Capture) -> str:
    content = plain_file(command.results) if command.results is not None else None
    return bytes(out.kept if content is None else content).decode("utf-8", "replace")
