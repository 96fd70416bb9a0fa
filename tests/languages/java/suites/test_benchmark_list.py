"""What JMH's annotation processor writes down of benchmarks, as it is read."""

from pathlib import Path

import pytest

from abs_audit.languages.java.suites.benchmark_list import Entry, about, entries, mode_of


def line(mode: str = "Throughput", jvm: str = "E", options: str = "E", labels: str = "E") -> str:
    """Return a line of the list of JMH 1.12 to 1.37, as a real one has it."""
    name = f"JMH S 13 org.example.A S 30 org.example.generated.A_b_jmhTest S 1 b S {len(mode)} {mode}"
    return f"{name} E A 1 1 1 {labels} E E E E E E I 1 1 E {jvm} E E {options} M 1 4 text 1 8 BAIAsFAi E E E "


OLD = "org.example.A===,===org.example.generated.A_b===,===b===,===SingleShotTime===,===1"


def listed(folder: Path, *lines: str) -> list[Entry]:
    """Return the entries of a module whose classes lie in a folder."""
    (folder / "META-INF").mkdir()
    (folder / "META-INF" / "BenchmarkList").write_text("\n".join(lines))
    return list(entries([str(folder), str(folder / "library.jar"), str(folder / "none")]))


def test_an_entry_tells_the_benchmark_what_starts_it_and_its_mode(tmp_path: Path) -> None:
    (read,) = listed(tmp_path, line(mode="AverageTime"), "")
    assert ("org.example.A.b", "org.example.generated.A_b_jmhTest", "AverageTime", True) == (
        read.benchmark,
        read.generated,
        read.mode,
        read.in_any_jvm,
    )


@pytest.mark.parametrize(
    ("text", "any_jvm", "alike"),
    [
        (line(), True, True),
        (line(options="L 3 7 -server 8 -Xms512M 20 -XX:-PreserveFramePo"), True, True),
        # What depends on a property is decided when it is executed; its code leads to both.
        (line(options="L 2 8 -Xms512M 29 -Dagrona.disable.checks=true"), False, True),
        (line(options="L 1 23 --illegal-access=permit"), False, True),
        (line(options="L 2 3 -ea 44 --add-opens=java.base/java.lang=ALL-UNNAMED"), False, True),
        (line(options="L 1 30 --patch-module=java.base=p.jar"), False, False),
        (line(options="L 1 7 -Da=b c"), False, False),
        (line(options="L 1 34 -Djava.system.class.loader=a.Own"), False, False),
        (line(options="L 1 26 -Djmh.executor.class=a.Own"), False, False),
        (line(options="L 1 19 -Xbootclasspath/a:x"), False, False),
        (line(options="L 1 18 -javaagent:a-X.jar"), False, False),
        (line(jvm="S 13 /usr/bin/java"), False, False),
        (line(labels="L 2 2 g1 2 g2"), False, False),
        (OLD, False, False),
    ],
)
def test_a_jvm_of_its_own_is_known_from_the_list(
    tmp_path: Path, text: str, any_jvm: bool, alike: bool
) -> None:
    (read,) = listed(tmp_path, text)
    assert (any_jvm, alike) == (read.in_any_jvm, read.leads_alike)


def test_a_benchmark_is_told_from_those_whose_names_begin_with_its_own(tmp_path: Path) -> None:
    longer = line(mode="AverageTime").replace("13 org.example.A ", "14 org.example.AB ")
    read = listed(tmp_path, line(), longer, line(mode="SampleTime"))
    assert ["Throughput", "SampleTime"] == [entry.mode for entry in about("org.example.A.b", read)]
    assert ["AverageTime"] == [entry.mode for entry in about("org.example.AB.b", read)]
    assert [] == about("org.example.A.c", read)


def test_a_line_of_an_old_jmh_is_about_what_it_names(tmp_path: Path) -> None:
    read = listed(tmp_path, OLD)
    assert 1 == len(about("org.example.A.b", read))
    assert [] == about("org.example.A.c", read)
    assert "ss" == mode_of(read)


@pytest.mark.parametrize(
    ("modes", "measured"),
    [
        (["SingleShotTime"], "ss"),
        (["SingleShotTime", "AverageTime"], "thrpt"),
        (["SampleTime"], "thrpt"),
        ([], "thrpt"),
    ],
)
def test_a_rate_is_measured_unless_there_is_no_other_mode_than_a_single_shot(
    tmp_path: Path, modes: list[str], measured: str
) -> None:
    assert measured == mode_of(listed(tmp_path, *map(line, modes)))


@pytest.mark.parametrize(
    ("threads", "measured"),
    [
        ("E A 1 1 1", "thrpt"),
        ("I 1 4 A 1 1 1", "thrpt"),
        ("E A 2 1 1 1 1", "avgt"),
        ("I 1 4 A 2 1 1 1 3", "avgt"),
    ],
)
def test_of_threads_that_execute_several_methods_the_mean_is_measured(
    tmp_path: Path, threads: str, measured: str
) -> None:
    text = line(labels="L 2 3 put 4 take").replace("E A 1 1 1", threads)
    assert measured == mode_of(listed(tmp_path, text))
