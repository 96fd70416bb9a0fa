# JAVAC MODULE… — JMH's list of benchmarks, and what executes them, for modules whose build made none.
# Parent projects tell compilers to leave processors out, those of JDK 23 do so by themselves, and no compiler of
# another language asks processors. Of benchmarks, classes tell them as much as sources do.
set -eu
javac=$1
shift
for module; do
    target=$PWD/$module/target
    made=$target/abs-audit-jmh
    rm -rf "$made"
    set -- "$target/classes" "$target/test-classes"
    for classes; do if [ -e "$classes/META-INF/BenchmarkList" ]; then continue 2; fi; done
    if grep -rqs 'Lorg/openjdk/jmh/annotations/Benchmark;' "$@"; then
        mkdir -p "$made"
        # Of an earlier build: the processor writes none of them anew.
        find "$@" -name '*_jmhT[ey]*.class' -exec rm -f {} + 2>/dev/null || :
        for classes; do
            if [ -d "$classes" ]; then (cd "$classes" && find . -name META-INF -prune -o -name '*.class' -print); fi
        done | sed -n 's#^\./\([^$-]*\)\.class$#\1#; t name; d; : name; s#/#.#g; p' > "$made/names"
        "$javac" -nowarn -processor org.openjdk.jmh.generators.BenchmarkProcessor -d "$made" \
            -cp "$1:$2:$(cat "$target/abs-audit-classpath.txt")" "@$made/names"
    fi
done
