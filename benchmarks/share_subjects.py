"""Generated subjects of `share_truth`: methods whose body is written once, and once more twice.

Each body changes `x`, so that a second one cannot be left out. Where it is `apart`, what the benchmark does
beside it does not wait for it, and a processor does both at once: such a share is hard to tell.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

TWICE = "twice"
"""Ends the names of what contains a body twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of body in one language."""

    body: str
    """With `size` in it."""
    sizes: Mapping[int, int]
    """Size → turns of what the benchmark does beside it."""
    apart: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A library with its suite, and a program that says what is true of it."""

    files: Mapping[str, str]
    methods: Mapping[str, str]
    """Id of a method → its name in the program's output."""
    build: tuple[str, ...]
    """Command that has to be executed before `truth`, in the library's folder; may be empty."""
    truth: tuple[str, ...]
    """Command that prints for each method its name, nanoseconds of the plain benchmark and its true share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Texts:
    """How a language writes things down; each is given name, body, turns, argument and what joins."""

    method: str
    bench: str
    alternated: str


def _written(kinds: Mapping[str, Kind], texts: _Texts, joined: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield the name, both methods, both benchmarks and the entry in the program's table of each method."""
    for kind, one in kinds.items():
        for size, turns in one.sizes.items():
            name = f"{kind}{size}"
            body = one.body.format(size=size)
            argument, joins = ("n", "") if one.apart else ("x", joined)
            methods, benches = "", ""
            for suffix, bodies in (("", (body,)), (TWICE, (body, body))):
                fields = {"name": name + suffix, "turns": turns, "argument": argument, "joins": joins}
                methods += texts.method.format(body="\n".join(bodies), **fields)
                benches += texts.bench.format(**fields)
            yield name, methods, benches, texts.alternated.format(name=name, twice=name + TWICE)


_GO_KINDS = {
    "Chain": Kind(
        body="for k := 0; k < {size}; k++ {{ x ^= x << 13; x ^= x >> 7; x ^= x << 17 }}",
        sizes={1: 1, 4: 8, 16: 16, 60: 30, 400: 300, 5000: 9000},
    ),
    "Apart": Kind(
        body="for k := uint64(0); k < {size}; k++ {{ x ^= (x>>3 + k) * 0x9E3779B97F4A7C15 }}",
        sizes={2: 4, 8: 8, 30: 60, 100: 30},
        apart=True,
    ),
    "Handlers": Kind(
        body="for _, h := range handlers[:{size}] {{ x = h(x) }}", sizes={1: 4, 4: 4, 16: 40}, apart=True
    ),
    "Lookup": Kind(
        body="for k := uint64(0); k < {size}; k++ {{ x += table[(x+k)&63] }}", sizes={1: 4, 5: 50}
    ),
    "Fresh": Kind(
        body="kept = make([]uint64, {size}); kept[0] = x; x += uint64(len(kept))",
        sizes={4: 10, 64: 100},
        apart=True,
    ),
    "Digits": Kind(body="x += uint64(len(strconv.FormatUint(x|1<<{size}, 10)))", sizes={1: 30, 40: 10}),
}
_GO = _Texts(
    method="func {name}(x uint64) uint64 {{\n\t{body}\n\treturn x\n}}\n\n",
    bench="func loop{name}(turns int) {{\n\tx, y := uint64(7), uint64(9)\n\tfor i := 0; i < turns; i++ {{\n"
    "\t\tn := uint64(i)\n\t\t_ = n\n\t\tx ^= {name}({argument})\n\t\ty = rest(y, {turns})\n{joins}"
    "\t}}\n\tsink = x + y\n}}\n\n",
    alternated='\t{{"{name}", loop{name}, loop{twice}}},\n',
)
_GO_LIBRARY = """package shares

import "strconv"

var kept []uint64
var table = map[uint64]uint64{}
var handlers []func(uint64) uint64

func init() {
	for n := uint64(0); n < 64; n++ {
		table[n] = n * n
		handlers = append(handlers, func(x uint64) uint64 { return x*5 + n })
	}
	_ = strconv.Itoa(0)
}

"""
_GO_SUITE = """package shares

import (
	"fmt"
	"math/rand"
	"sort"
	"testing"
	"time"
)

var sink uint64

func rest(x uint64, turns int) uint64 {
	for n := 0; n < turns; n++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

func took(loop func(int), turns int) float64 {
	begun := time.Now()
	loop(turns)
	return float64(time.Since(begun)) / float64(turns)
}

func TestTruth(t *testing.T) {
	for _, one := range both {
		turns := 1
		for took(one.plain, turns)*float64(turns) < 150e3 {
			turns *= 2
		}
		var plain, ratios []float64
		for round := 0; round < 400; round++ {
			var once, twice float64
			for _, which := range rand.Perm(2) {
				if which == 0 {
					once = took(one.plain, turns)
				} else {
					twice = took(one.twice, turns)
				}
			}
			plain, ratios = append(plain, once), append(ratios, twice/once-1)
		}
		sort.Float64s(plain)
		sort.Float64s(ratios)
		fmt.Println("truth", one.name, plain[len(plain)/2], ratios[len(ratios)/2])
	}
}

"""


def go() -> Subject:
    """Return the subject in Go."""
    written = list(_written(_GO_KINDS, _GO, "\t\tx ^= y\n"))
    suite = "".join(
        f"func Benchmark{name}(b *testing.B) {{ loop{name}(b.N) }}\n\n" for name, _, _, _ in written
    )
    table = "var both = []struct {\n\tname string\n\tplain, twice func(int)\n}{\n"
    table += "".join(entry for _, _, _, entry in written) + "}\n"
    return Subject(
        files={
            "go.mod": "module example.org/shares\n\ngo 1.22\n",
            "shares.go": _GO_LIBRARY + "".join(methods for _, methods, _, _ in written),
            "shares_test.go": _GO_SUITE + "".join(benches for _, _, benches, _ in written) + suite + table,
        },
        methods={f"example.org/shares.{name}": name for name, _, _, _ in written},
        build=("go", "test", "-c", "-o", "truth.test", "."),
        truth=("./truth.test", "-test.run", "TestTruth", "-test.cpu", "1"),
    )


_PYTHON_KINDS = {
    "chain": Kind(
        body="    for _ in range({size}):\n        x = (x * 5 + 1) & 0xFFFF",
        sizes={1: 3, 4: 4, 10: 5, 40: 80, 200: 100},
    ),
    "lists": Kind(body="    x = sum(sorted([x, 3, 9] * {size}))", sizes={1: 2, 10: 10, 100: 50}),
    "text": Kind(body="    x = len(f'{{x:>{size}}} {{x:x}}')", sizes={1: 4, 40: 10}),
    "table": Kind(body="    x = len({{k: x for k in range({size})}})", sizes={2: 5, 60: 30}),
}
_PYTHON = _Texts(
    method="def {name}(x):\n{body}\n    return x\n\n\n",
    bench="def bench_{name}():\n    return rest(shares.{name}(7), {turns})\n\n\n",
    alternated="    ('{name}', bench_{name}, bench_{twice}),\n",
)
_PYTHON_SUITE = """import random
import statistics
import time

import shares


def rest(x, turns):
    for _ in range(turns):
        x = (x * 5 + 1) & 0xFFFF
    return x


def took(bench, turns):
    begun = time.perf_counter()
    for _ in range(turns):
        bench()
    return (time.perf_counter() - begun) / turns


def nothing(x):
    return x


def truth():
    for name, plain, twice in BOTH:
        method = getattr(shares, name)
        turns = max(1, round(3e-4 / took(plain, 500)))
        once, ratios = [], []
        for _ in range(300):
            times = {}
            for bench in random.sample((plain, twice, nothing), 3):
                setattr(shares, name, nothing if bench is nothing else method)
                times[bench] = took(plain if bench is nothing else bench, turns)
            setattr(shares, name, method)
            once.append(times[plain])
            # A second body finds warm what the first one needs: the truth lies between doubling and removing.
            ratios.append((times[twice] - times[nothing]) / times[plain] / 2)
        print('truth', name, 1e9 * statistics.median(once), statistics.median(ratios))


"""


def python() -> Subject:
    """Return the subject in Python."""
    written = list(_written(_PYTHON_KINDS, _PYTHON, ""))
    benches = "".join(benches for _, _, benches, _ in written)
    table = "BOTH = [\n" + "".join(entry for _, _, _, entry in written) + "]\n\n\n"
    tests = "\n\n".join(f"def test_{name}(benchmark):\n    benchmark(bench_{name})\n" for name, *_ in written)
    return Subject(
        files={
            "pyproject.toml": '[project]\nname = "shares"\nversion = "1"\n',
            "shares.py": "".join(methods for _, methods, _, _ in written).rstrip() + "\n",
            "test_shares.py": _PYTHON_SUITE + benches + table + tests,
        },
        methods={f"shares.{name}": name for name, *_ in written},
        build=(),
        truth=("{python}", "-c", "import test_shares; test_shares.truth()"),
    )


_JAVA_KINDS = {
    "chain": Kind(
        body="for (int k = 0; k < {size}; k++) {{ x ^= x << 13; x ^= x >>> 7; x ^= x << 17; }}",
        sizes={1: 4, 10: 10, 60: 120, 1000: 500},
    ),
    "apart": Kind(
        body="for (int k = 0; k < {size}; k++) {{ x ^= ((x >>> 3) + k) * 0x9E3779B97F4A7C15L; }}",
        sizes={8: 8, 100: 100},
        apart=True,
    ),
    "lookup": Kind(
        body="for (long k = 0; k < {size}; k++) x += TABLE.get((x + k) & 63);", sizes={2: 4, 20: 50}
    ),
    "text": Kind(body="x += Long.toString(x | (1L << {size})).length();", sizes={1: 5, 60: 20}),
}
_JAVA = _Texts(
    method="    public static long {name}(long x) {{\n        {body}\n        return x;\n    }}\n\n",
    bench="    @Benchmark\n    public long {name}() {{\n        long n = turn++;\n"
    "        x ^= Shares.{name}({argument});\n"
    "        y = rest(y, {turns});\n{joins}        return x + y;\n    }}\n\n",
    alternated='        alternated("{name}", Truth::{name}, Truth::{twice});\n',
)
_JAVA_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId>
  <artifactId>shares</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>11</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>org.openjdk.jmh</groupId><artifactId>jmh-core</artifactId><version>1.37</version>
    </dependency>
    <dependency>
      <groupId>org.openjdk.jmh</groupId><artifactId>jmh-generator-annprocess</artifactId><version>1.37</version>
      <scope>provided</scope>
    </dependency>
  </dependencies>
</project>
"""
_JAVA_SUITE = """package org.example;

import org.openjdk.jmh.annotations.*;

@State(Scope.Thread)
public class SharesBenchmark {
    private long x = 7, y = 9, turn;

    private static long rest(long x, int turns) {
        for (int k = 0; k < turns; k++) { x ^= x << 13; x ^= x >>> 7; x ^= x << 17; }
        return x;
    }

"""
_JAVA_TRUTH = """import java.util.Arrays;
import org.example.Shares;

public class Truth {
    interface Loop { long go(int turns); }

    static long x = 7, y = 9, turn, sink;

    static long rest(long x, int turns) {
        for (int k = 0; k < turns; k++) { x ^= x << 13; x ^= x >>> 7; x ^= x << 17; }
        return x;
    }

    static double took(Loop loop, int turns) {
        long begun = System.nanoTime();
        sink += loop.go(turns);
        return (double) (System.nanoTime() - begun) / turns;
    }

    static void alternated(String name, Loop plain, Loop twice) {
        for (long end = System.nanoTime() + 300000000L; System.nanoTime() < end;) {
            took(plain, 100);
            took(twice, 100);
        }
        int turns = 1;
        while (took(plain, turns) * turns < 150e3) turns *= 2;
        double[] once = new double[400], ratios = new double[400];
        for (int round = 0; round < 400; round++) {
            boolean first = Math.random() < .5;
            double other = first ? took(twice, turns) : 0;
            once[round] = took(plain, turns);
            ratios[round] = (first ? other : took(twice, turns)) / once[round] - 1;
        }
        Arrays.sort(once);
        Arrays.sort(ratios);
        System.out.println("truth " + name + " " + once[200] + " " + ratios[200]);
    }

"""
_JAVA_LOOP = """    static long {name}(int turns) {{
        long x = Truth.x, y = Truth.y;
        for (int i = 0; i < turns; i++) {{
            long n = turn++;
            x ^= Shares.{name}({argument});
            y = rest(y, {turns});
            {joins}
        }}
        Truth.x = x; Truth.y = y;
        return x + y;
    }}

"""


def java() -> Subject:
    """Return the subject in Java."""
    written = list(_written(_JAVA_KINDS, _JAVA, "        x ^= y;\n"))
    loops = list(
        _written(_JAVA_KINDS, _Texts(method="", bench=_JAVA_LOOP, alternated=_JAVA.alternated), "x ^= y;")
    )
    benches = "".join(
        benches.split("    @Benchmark")[1].join(("    @Benchmark", "")) for _, _, benches, _ in written
    )
    library = "package org.example;\n\nimport java.util.HashMap;\n\npublic class Shares {\n"
    library += "    private static final HashMap<Long, Long> TABLE = new HashMap<>();\n"
    library += "    static { for (long k = 0; k < 64; k++) TABLE.put(k, k * k); }\n\n"
    main = (
        "    public static void main(String[] arguments) {\n"
        + "".join(entry for *_, entry in loops)
        + "    }\n"
    )
    return Subject(
        files={
            "pom.xml": _JAVA_POM,
            "src/main/java/org/example/Shares.java": library
            + "".join(text for _, text, _, _ in written)
            + "}\n",
            "src/main/java/org/example/SharesBenchmark.java": _JAVA_SUITE + benches + "}\n",
            "truth/Truth.java": _JAVA_TRUTH + "".join(text for _, _, text, _ in loops) + main + "}\n",
        },
        methods={f"org.example.Shares.{name}(long)": name for name, *_ in written},
        build=("javac", "-d", "truth", "src/main/java/org/example/Shares.java", "truth/Truth.java"),
        truth=("java", "-cp", "truth", "Truth"),
    )


SUBJECTS = {"go": go, "python": python, "java": java}
