"""An engine of the tests' own, which they may stop and kill, and an image small enough for it."""

import contextlib
import io
import os
import re
import shutil
import signal
import subprocess
import tarfile
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import docker
import psutil

SCRIPT = Path(__file__).parent / "engine"
PROGRAMS = ("sh", "sleep", "cat", "dd")
IMAGE = "tiny:latest"


@dataclass
class PrivateEngine:
    """Apart from any other engine in network, data and socket."""

    folder: Path
    process: "subprocess.Popen[bytes] | None" = field(default=None, init=False)

    @property
    def address(self) -> str:
        return f"unix://{self.folder}/socket"

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [str(SCRIPT), "private", str(self.folder)], stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )
        while not self._answers():
            assert self.process.poll() is None, (self.folder / "log").read_text()[-2000:]

    def _answers(self) -> bool:
        try:
            with closing(docker.DockerClient(self.address, timeout=10)) as client:
                return bool(client.ping())
        except docker.errors.DockerException:
            return False

    def containers(self) -> list[str]:
        with closing(docker.DockerClient(self.address)) as client:
            return [str(one.status) for one in client.containers.list(all=True, ignore_removed=True)]

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """End the engine; after a kill, also forget what would keep a successor from starting."""
        if self.process is None:
            return
        self.process.send_signal(number)
        self.process.wait(timeout=60)
        self.process = None
        if number == signal.SIGKILL:
            (self.folder / "pid").unlink(missing_ok=True)
            (self.folder / "run" / "containerd" / "containerd.pid").unlink(missing_ok=True)

    def clear_away(self) -> None:
        """Stop the engine and remove what a killed one left: guardians of containers, and mounts."""
        self.stop()
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.NoSuchProcess):
                if any(str(self.folder) in word for word in process.cmdline()[1:]):
                    process.kill()
        mounts = Path("/proc/self/mountinfo").read_text().splitlines()
        for mount in reversed([line.split()[4] for line in mounts]):
            if Path(mount).is_relative_to(self.folder) and Path(mount) != self.folder:
                subprocess.run(["umount", "--lazy", mount], check=True)

    def import_image(self) -> None:
        with closing(docker.DockerClient(self.address)) as client:
            client.api.import_image_from_data(small_file_system(), repository="tiny", tag="latest")


def small_file_system() -> bytes:
    """Return an archive of a few of this machine's programs with the libraries that they load."""
    wanted = {str(shutil.which(name)) for name in PROGRAMS}
    for program in list(wanted):
        listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        wanted |= set(re.findall(r"(/\S+) \(0x", listed))
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", dereference=True) as archive:
        for path in sorted(wanted):
            archive.add(os.path.realpath(path), path)
    return buffer.getvalue()
