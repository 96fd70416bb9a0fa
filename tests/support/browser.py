"""A headless Chromium driven over its DevTools pipe: no port, no driver and no library of its own."""

import json
import os
import select
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-headless-shell", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",  # root needs it, and the pages are ours
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--no-first-run",
    "--remote-debugging-pipe",
)
PATIENCE_S = 60.0
KEYS = {
    "Enter": ("Enter", 13, "\r"),
    "Tab": ("Tab", 9, ""),
    "Escape": ("Escape", 27, ""),
    " ": ("Space", 32, " "),
}


def program() -> str:
    """Return a Chromium; without one a test fails in CI and is skipped elsewhere, and says how to get one."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None and not os.environ.get("CI"):
        pytest.skip("no Chromium to click with: as root: apt-get install chromium-headless-shell")
    assert path, "no Chromium to click with: CI=true ./bootstrap test installs one"
    return path


class Browser:
    """One tab, in which one page after the other is opened."""

    def __init__(self, out: int, replies: int) -> None:
        self._out, self._replies = out, replies
        self._unread = b""
        self._sent = 0
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def call(self, method: str, **parameters: object) -> Any:
        """Return what the browser answers."""
        self._sent += 1
        message: dict[str, object] = {"id": self._sent, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        answer = next(reply for reply in self._messages() if reply.get("id") == self._sent)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def open(self, page: Path, fragment: str = "") -> None:
        """Load a page; ends when its script has run."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=f"{page.as_uri()}{fragment}")
        self.run("new Promise(r => document.readyState === 'complete' ? r() : addEventListener('load', r))")

    def run(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, *keys: str) -> None:
        """Press and release keys, one after the other."""
        for key in keys:
            code, number, text = KEYS.get(key, ("", ord(key[0].upper()), key))
            event = {"key": key, "code": code, "windowsVirtualKeyCode": number}
            self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **event)
            self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def read_aloud(self) -> list[dict[str, Any]]:
        """Return what a screen reader is told, in its order."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [node for node in nodes if not node["ignored"]]

    def look(
        self, *, width: int = 1280, height: int = 900, scheme: str = "light", medium: str = "screen"
    ) -> None:
        """Be a window that wide and high, in light or dark, or a sheet of paper."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=medium, features=features)

    def _messages(self) -> Iterator[Any]:
        while True:
            while b"\0" not in self._unread:
                ready, _, _ = select.select([self._replies], [], [], PATIENCE_S)
                assert ready, f"the browser said nothing for {PATIENCE_S:.0f} s"
                received = os.read(self._replies, 1 << 16)
                assert received, "the browser ended"
                self._unread += received
            message, _, self._unread = self._unread.partition(b"\0")
            yield json.loads(message)


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """Yield a browser whose profile lies in the folder; it ends with the block."""
    commands, out = os.pipe()
    replies, answers = os.pipe()
    # It reads commands from its descriptor 3 and answers on 4.
    redirect = f'exec "$0" "$@" 3<&{commands} 4>&{answers}'
    process = subprocess.Popen(
        ["bash", "-c", redirect, program(), *FLAGS, f"--user-data-dir={folder}"],
        pass_fds=(commands, answers),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(commands)
    os.close(answers)
    try:
        yield Browser(out, replies)
    finally:
        # Its own good-bye takes seconds; its children end with its pipe.
        process.kill()
        process.wait()
        os.close(out)
        os.close(replies)
