"""What every probe has to make of its settings; the tests of each language lend their built subject."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from abs_audit.languages.probe_protocol import Setting, probe_settings, tally_of
from abs_audit.model.experiment import Arm, Mode

CALLS, BATCH, DELAY_NS = 105, 10, 5000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A process that called one method `CALLS` times."""

    message: str
    """What it says where it refuses its settings; empty: it ended well."""
    tally: Mapping[str, Any]


def assert_the_protocol_is_kept(process: Callable[[Mapping[str, str]], Ended], method: str) -> None:
    """Assert that a process does and tells in each mode what docs/probe-protocol.md says."""
    for mode in (Mode.COUNT, Mode.TIME, Mode.CONTROL, Mode.DELAY):
        ended = process(probe_settings(_arm(mode, method)))
        assert "" == ended.message
        counted = tally_of(ended.tally).methods[method]
        delays = mode in {Mode.CONTROL, Mode.DELAY}
        # While it times, a probe may look at the number of calls now and then only.
        assert counted.calls == CALLS or (mode is Mode.TIME and counted.calls < CALLS)
        assert (CALLS // BATCH if delays else 0) == counted.batches
        least_s = 0.9e-9 * DELAY_NS * BATCH * (CALLS // BATCH)
        assert counted.injected_s >= least_s if mode is Mode.DELAY else counted.injected_s == 0
        # An empty body takes nothing.
        assert mode in {Mode.TIME, Mode.COUNT} or counted.timed_s == 0
        assert None is counted.requested_s
    good = probe_settings(_arm(Mode.DELAY, method))
    for name, wrong in ((Setting.MODE, "slow"), (Setting.BATCH, "0"), (Setting.DELAY_NS, "NaN")):
        assert f"{name}: expected" in process({**good, name: wrong}).message


def _arm(mode: Mode, method: str) -> Arm:
    slowed, delay_ns = (method, DELAY_NS) if mode is Mode.DELAY else (None, 0.0)
    return Arm(mode=mode, methods=(method,), slowed=slowed, delay_ns=delay_ns, batch=BATCH, label="")
