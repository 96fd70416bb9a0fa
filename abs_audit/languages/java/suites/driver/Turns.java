package abs_audit_driver_;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collection;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.runner.IterationType;

/**
 * Lets the arms of a fork take turns, iteration by iteration, in warm-up and measurement alike: in the order
 * that the probe's settings say, over and over. The first arm is a baseline, without a delay.
 *
 * <p>What delays are computed for is a control of another fork, or of another moment: they are as much longer or
 * shorter as the first arm is, by the median of its last three iterations: their times are skewed.
 */
public final class Turns implements InternalProfiler {
    /** The arm whose turn it is; the probe reads it. */
    public static final AtomicInteger ARM = new AtomicInteger();
    /** Bits of a double: the delay of now by what was asked for; the probe reads it. */
    public static final AtomicLong FACTOR = new AtomicLong(Double.doubleToLongBits(1.0));

    /** The thread that prepares a benchmark or tidies up after it; the probe writes and reads it. */
    public static final AtomicReference<Thread> UNTIMED = new AtomicReference<Thread>();
    /** How often something was prepared or tidied up; the probe counts it, for all its copies in a process. */
    public static final AtomicLong PREPARED = new AtomicLong();

    /** What tells the tallies of the probes in this process that have no file for it; they add themselves. */
    public static final Collection<Callable<String>> TALLIES = new ConcurrentLinkedQueue<Callable<String>>();

    /** Of the results that it adds: what an iteration executed, by all threads, and what it took with its set-up. */
    public static final String OPERATIONS = "abs-audit.operations";
    public static final String WALL_NS = "abs-audit.wall-ns";

    private static final int LAST = 3;

    private final String[] order;
    /** What an invocation of the control took when the delays were computed; 0: they are fixed. */
    private final double controlNs;
    private final double[] lastNs = new double[LAST];
    private int seen;
    private int warmups;
    private int iterations;
    private long beginNs;

    public Turns() throws IOException {
        Properties settings = new Properties();
        try (InputStream stream = Files.newInputStream(Paths.get(System.getenv("ABS_PROBE_SETTINGS")))) {
            settings.load(stream);
        }
        order = settings.getProperty("ABS_PROBE_TURNS").split(" ");
        controlNs = Double.parseDouble(settings.getProperty("ABS_PROBE_CONTROL_NS_0", "0"));
    }

    public String getDescription() {
        return "lets arms take turns";
    }

    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        int place = iteration.getType() == IterationType.WARMUP ? warmups++ : iterations++;
        ARM.set(Integer.parseInt(order[place % order.length]));
        beginNs = System.nanoTime();
    }

    public Collection<? extends Result> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        double wallNs = System.nanoTime() - beginNs;
        double score = result.getPrimaryResult().getScore();
        double tookNs = benchmark.getMode() == Mode.Throughput ? benchmark.getThreads() / score : score;
        if (ARM.get() == 0 && controlNs > 0 && score > 0 && iteration.getType() == IterationType.MEASUREMENT) {
            lastNs[seen++ % LAST] = tookNs;
            FACTOR.set(Double.doubleToLongBits(median(Arrays.copyOf(lastNs, Math.min(seen, LAST))) / controlNs));
        }
        return Arrays.asList(
            Processor.holding(OPERATIONS, operations(result)), Processor.holding(WALL_NS, wallNs));
    }

    /** Returns how many operations there were; 0: JMH before 1.10 does not tell. */
    private static double operations(IterationResult result) {
        try {
            Object told = result.getClass().getMethod("getMetadata").invoke(result);
            return ((Number) told.getClass().getMethod("getAllOps").invoke(told)).doubleValue();
        } catch (ReflectiveOperationException absent) {
            return 0;
        }
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return (values[(values.length - 1) / 2] + values[values.length / 2]) / 2;
    }
}
