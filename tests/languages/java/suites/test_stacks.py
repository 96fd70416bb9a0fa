"""What async-profiler saw, as it is read: how often a benchmark was found inside methods."""

import pytest

from abs_audit.languages.java.suites.stacks import sampled
from abs_audit.model.measurement import Tally

BENCHMARK = "org.example.ABenchmark.parse:size=3"
PARSE = "org.example.A.parse(java.lang.String)"
INNER = "org.example.A$Item.<init>(int)"
# Frames as they are printed: `|` stands for `;`, and a letter for how the code came about.
TIMED = "org/example/ABenchmark.parse()V_[j]"
IN_PARSE = "org/example/A.parse(Ljava/lang/String|)V_[j]"
IN_ITEM = "org/example/A$Item.<init>(Lorg/example/A|I)V_[j]"
CONSUMING = "org/openjdk/jmh/infra/Blackhole.consume(J)V_[i]"
PREPARING = "org/example/ABenchmark.fill()V_[i]"


def read(*looks: tuple[int, str]) -> Tally:
    text = "".join(f"{number} {frames}\n" for number, frames in looks)
    return sampled(Tally(build_id="b1", methods={}), BENCHMARK, [PARSE, INNER], text, 2.0)


def test_all_looks_at_the_loop_and_what_it_times_count() -> None:
    told = read((5, ""), (20, CONSUMING), (15, TIMED), (60, f"{TIMED};{IN_PARSE}"))
    assert ("b1", 100, 0, 0.02) == (told.build_id, told.samples, told.samples_collecting, told.sample_s)
    assert (60, 0) == (told.methods[PARSE].samples, told.methods[INNER].samples)


def test_a_look_is_in_all_methods_on_its_stack_and_in_each_once() -> None:
    told = read((7, f"{TIMED};{IN_PARSE};{IN_ITEM};{IN_PARSE};jbyte_disjoint_arraycopy"), (3, TIMED))
    assert (7, 7) == (told.methods[PARSE].samples, told.methods[INNER].samples)


@pytest.mark.parametrize(
    ("frames", "outside", "unclear"),
    [
        (f"{TIMED};{IN_PARSE.replace('_[j]', '_[i]')}", 9, 0),
        (f"{PREPARING};{IN_PARSE}", 9, 0),
        ("libmSin", 0, 9),
        ("[collecting]", 0, 9),
    ],
    ids=["inlined code is of nobody", "preparing an invocation", "what called it is missing", "garbage"],
)
def test_what_says_nothing_of_a_method_is_kept_apart(frames: str, outside: int, unclear: int) -> None:
    told = read((1, f"{TIMED};{IN_PARSE}"), (9, frames))
    assert (1, outside, unclear) == (
        told.methods[PARSE].samples,
        told.methods[PARSE].samples_outside,
        told.samples_collecting,
    )


def test_no_look_at_all_is_no_share() -> None:
    assert (0, 0) == (read().samples, read().methods[PARSE].samples)
