package abs_audit_driver_;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.ExternalProfiler;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.runner.IterationType;

/**
 * Has async-profiler look at the benchmark's stack now and then while iterations are measured, and leaves what it
 * saw beside the tally: in each line a number of looks and the frames inside JMH's loop, from the outside in.
 *
 * <p>Compilers mix what they inline with what lies around it, and tell of little of that whose it is. So the methods
 * that are looked for are not inlined.
 */
public final class Stacks implements ExternalProfiler, InternalProfiler {
    private static final String PROFILER = "one.profiler.AsyncProfiler";
    /** The kernel looks less often: at each of its ticks, 100 to 1,000 a second. */
    private static final String START = "start,event=ctimer,interval=1ms,threads";
    private static final Pattern LOOP = Pattern.compile("_jmhStub\\([^;]*(?:;(.*))?$");
    private static final Pattern COLLECTOR = Pattern.compile("\\[(VM Thread|GC |G1 |Z|Shenandoah)");
    private static final String COLLECTING = "[collecting]";

    private final Properties settings = new Properties();
    private Object profiler;
    private int iterations;

    public Stacks() throws IOException {
        try (InputStream stream = Files.newInputStream(Paths.get(System.getenv("ABS_PROBE_SETTINGS")))) {
            settings.load(stream);
        }
    }

    public String getDescription() {
        return "looks at the stack";
    }

    public Collection<String> addJVMInvokeOptions(BenchmarkParams benchmark) {
        return Collections.emptyList();
    }

    public Collection<String> addJVMOptions(BenchmarkParams benchmark) {
        List<String> options = new ArrayList<>(Arrays.asList(
            "-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints", "-XX:CompileCommand=quiet"));
        for (String method : settings.getProperty("ABS_PROBE_METHODS").split("\n")) {
            String name = method.substring(0, method.indexOf('('));
            int dot = name.lastIndexOf('.');
            options.add("-XX:CompileCommand=dontinline," + name.substring(0, dot) + "::" + name.substring(dot + 1));
        }
        return options;
    }

    public void beforeTrial(BenchmarkParams benchmark) {
    }

    /** In JMH before 1.9. */
    public Collection<? extends Result> afterTrial(BenchmarkParams benchmark, File out, File error) {
        return Collections.emptyList();
    }

    public Collection<? extends Result> afterTrial(BenchmarkResult result, long process, File out, File error) {
        return Collections.emptyList();
    }

    public boolean allowPrintOut() {
        return true;
    }

    public boolean allowPrintErr() {
        return true;
    }

    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        if (profiler == null && iteration.getType() == IterationType.MEASUREMENT) {
            try {
                profiler = Class.forName(PROFILER).getMethod("getInstance").invoke(null);
            } catch (ReflectiveOperationException error) {
                throw new IllegalStateException("expected async-profiler on the class path", error);
            }
            asked(START);
        }
    }

    public Collection<? extends Result> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        if (profiler != null && ++iterations == iteration.getCount()) {
            asked("stop");
            Path tally = Paths.get(settings.getProperty("ABS_PROBE_TALLY"));
            try {
                Files.write(tally.resolveSibling("stacks"), seen().getBytes(StandardCharsets.UTF_8));
            } catch (IOException error) {
                throw new IllegalStateException("cannot write beside " + tally, error);
            }
        }
        return Collections.emptyList();
    }

    /** Returns how often each stack was seen while the benchmark was executed, or garbage was collected. */
    private String seen() {
        Map<String, Long> looks = new TreeMap<>();
        for (String line : asked("collapsed,sig,ann").split("\n")) {
            int space = line.lastIndexOf(' ');
            Matcher inside = LOOP.matcher(line.substring(0, Math.max(0, space)));
            if (inside.find()) {
                String frames = inside.group(1) == null ? "" : inside.group(1);
                looks.merge(frames, Long.parseLong(line.substring(space + 1)), Long::sum);
            } else if (COLLECTOR.matcher(line).lookingAt()) {
                looks.merge(COLLECTING, Long.parseLong(line.substring(space + 1)), Long::sum);
            }
        }
        StringBuilder text = new StringBuilder();
        looks.forEach((frames, number) -> text.append(number).append(' ').append(frames).append('\n'));
        return text.toString();
    }

    private String asked(String command) {
        try {
            return (String) profiler.getClass().getMethod("execute", String.class).invoke(profiler, command);
        } catch (InvocationTargetException error) {
            throw new IllegalStateException("async-profiler: " + command, error.getCause());
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException("expected an async-profiler that executes commands", error);
        }
    }
}
