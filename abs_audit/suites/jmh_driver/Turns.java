package abs_audit_driver_;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Collection;
import java.util.Collections;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.runner.IterationType;

/** Lets the arms of a fork take turns, iteration by iteration, in warm-up and measurement alike. */
public final class Turns implements InternalProfiler {
    /** The arm whose turn it is; the probe reads it. */
    public static final AtomicInteger ARM = new AtomicInteger();

    private final int arms;
    private int warmups;
    private int iterations;

    public Turns() throws IOException {
        Properties settings = new Properties();
        try (InputStream stream = Files.newInputStream(Paths.get(System.getenv("ABS_PROBE_SETTINGS")))) {
            settings.load(stream);
        }
        arms = settings.getProperty("ABS_PROBE_DELAY_NS", "").split(",").length;
    }

    public String getDescription() {
        return "lets arms take turns";
    }

    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        ARM.set((iteration.getType() == IterationType.WARMUP ? warmups++ : iterations++) % arms);
    }

    public Collection<? extends Result> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        return Collections.emptyList();
    }
}
