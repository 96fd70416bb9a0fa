"""Steps as a plan asks for them of JMH, and records of its driver as they come back."""

import json
from collections.abc import Sequence
from typing import Any

from abs_audit.model.experiment import UNPROBED, Arm, Block, Mode, Step


def block(*steps: Step, benchmark: str = "org.example.A.plain") -> Block:
    return Block(id="block/1", benchmark=benchmark, steps=steps, limit_s=60.0)


def step(
    mode: Mode, invocations: int | None = None, delay_ns: float = 0.0, methods: Sequence[str] = ()
) -> Step:
    arm = Arm(
        mode=mode,
        methods=tuple(methods),
        slowed=methods[0] if mode is Mode.DELAY else None,
        delay_ns=delay_ns,
        batch=10,
        label=mode.value,
    )
    return Step(
        arm=UNPROBED if mode is Mode.OFF else arm,
        invocations=invocations,
        target_s=0.02,
        iterations=1,
        warmup=1,
    )


def record(**changes: Any) -> str:
    metric = {"scoreUnit": "ns/op", "rawData": [[400.0, 100.0, 200.0]]}
    usual = {
        "record": "step",
        "key": "block/1\n0",
        "exit": 0,
        "timed_out": False,
        "limit_s": 5.0,
        "wall_s": 1.5,
        "result": json.dumps([{"benchmark": "org.example.A.plain", "primaryMetric": metric}]),
        "tallies": [],
        "unfinished": False,
        "log": "",
    }
    return json.dumps(usual | changes) + "\n"
