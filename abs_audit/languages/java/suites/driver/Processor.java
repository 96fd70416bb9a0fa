package abs_audit_driver_;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Collection;
import java.util.Collections;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;

/**
 * Tells what part of each iteration the benchmark's threads had a processor: what others took makes the benchmark
 * longer, but only few of the calls that are timed.
 */
public final class Processor implements InternalProfiler {
    /** Of the results that it adds. */
    public static final String LABEL = "abs-audit.on-processor";

    private static final String WORKER = "jmh-worker";
    /** What holds a number is called otherwise in JMH before 1.18. */
    private static final String[] HOLDERS = {"ScalarResult", "ProfilerResult"};

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private long cpuNs;
    private long beginNs;

    public String getDescription() {
        return "tells what the benchmark had of the processor";
    }

    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        cpuNs = workersNs();
        beginNs = System.nanoTime();
    }

    public Collection<? extends Result> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        double wallNs = System.nanoTime() - beginNs;
        return Collections.singletonList(holding(LABEL, (workersNs() - cpuNs) / wallNs));
    }

    /** Returns the processor time of all threads that execute benchmarks. */
    private long workersNs() {
        long sum = 0;
        for (long id : threads.getAllThreadIds()) {
            Object thread = threads.getThreadInfo(id);
            if (thread != null && thread.toString().contains(WORKER)) {
                sum += Math.max(0, threads.getThreadCpuTime(id));
            }
        }
        return sum;
    }

    /** Returns a number of an iteration as a result that JMH adds to its own. */
    static Result<?> holding(String label, double number) {
        for (String name : HOLDERS) {
            try {
                return (Result<?>) Class.forName("org.openjdk.jmh.results." + name)
                    .getConstructor(String.class, double.class, String.class, AggregationPolicy.class)
                    .newInstance(label, number, "", AggregationPolicy.AVG);
            } catch (ReflectiveOperationException absent) {
                continue;
            }
        }
        throw new IllegalStateException("expected a JMH that holds results in one of " + String.join(", ", HOLDERS));
    }
}
