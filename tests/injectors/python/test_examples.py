"""Every source shape: the text that rewriting yields, and that it still does the same when it is run."""

import sys
from pathlib import Path

import pytest

from abs_audit.injectors.python.injector import PythonInjector
from tests.support.python_probes import imported, instrumented, used
from tests.support.rewriting_examples import REQUIRED, Example, examples

FOLDER = Path(__file__).parents[3] / "fixtures" / "injection" / "python"
EXAMPLES = examples(FOLDER)
RUNNABLE = [example for example in EXAMPLES if sys.version_info >= example.language]
MODES = ["off", "count", "time", "control", "delay"]


def name(example: Example) -> str:
    return example.name


def full_ids(names: object) -> set[str]:
    return {f"example.{method}" for method in names}  # type: ignore[attr-defined]


def test_every_shape_that_all_languages_share_has_an_example() -> None:
    assert {example.name for example in EXAMPLES} >= REQUIRED


@pytest.mark.parametrize("example", EXAMPLES, ids=name)
def test_the_listing_names_just_the_methods_that_can_carry_a_probe(example: Example) -> None:
    listing = PythonInjector().api_methods({"example.py": example.before})
    assert full_ids(example.calls) == {method.id for method in listing.methods}
    assert full_ids(example.skipped) == {skipped.method for skipped in listing.skipped}
    lines = example.before.splitlines()
    for method in listing.methods:
        named = method.id.removesuffix(".setter").removesuffix(".deleter").rpartition(".")[2]
        assert f"def {named}" in lines[method.line - 1]


@pytest.mark.parametrize("example", EXAMPLES, ids=name)
def test_rewriting_yields_the_text_of_the_example(example: Example, accept: bool) -> None:
    patch = instrumented(example.before)
    actual = patch.files.get("example.py", "")
    if accept:
        path = FOLDER / f"{example.name}.txt"
        path.write_text(path.read_text().partition("=== after\n")[0] + "=== after\n" + actual)
    assert (example.after if not accept else actual) == actual
    assert full_ids(example.calls) == set(patch.instrumented)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("example", RUNNABLE, ids=name)
def test_probed_code_does_what_the_unprobed_code_does(example: Example, mode: str, tmp_path: Path) -> None:
    with imported(tmp_path / "before", {"example.py": example.before}, "example") as (plain,):
        expected = used(plain, example.use)
    patch = instrumented(example.before)
    if not patch.instrumented:
        return
    with imported(tmp_path / "after", patch.files, "example", "_abs_audit_probe") as (module, probe):
        probe.arm(mode, ["*"], slowed=patch.instrumented[0], delay_ns=50.0, batch=3)
        probe.start()
        actual = used(module, example.use)
        probe.stop()
        tally = probe.tally()
    assert expected == actual
    assert patch.build_id == tally["build_id"]
    if mode == "off":
        assert tally["methods"] == {}
        return
    for method, calls in example.calls.items():
        entry = tally["methods"][f"example.{method}"]
        assert calls is None or (method, calls) == (method, entry["calls"])
        if mode in {"control", "delay"}:
            assert entry["calls"] // 3 == entry["batches"]
