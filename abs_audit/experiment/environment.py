"""What a measurement depends on beside the code: machine, system and interpreter."""

import platform
from pathlib import Path

import psutil


def fingerprint() -> dict[str, str]:
    """Return what must agree for recorded values to be comparable: name → value."""
    return {
        "processor": _processor(),
        "cores": str(psutil.cpu_count()),
        "memory_gib": str(round(psutil.virtual_memory().total / 2**30)),
        "kernel": platform.release(),
        "system": platform.system(),
        "machine": platform.machine(),
    }


def _processor() -> str:
    """Return the model of the processor; the kernel knows it better than the standard library."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")
