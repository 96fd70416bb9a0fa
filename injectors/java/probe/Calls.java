package abs_audit_probe_;

/** What one thread did in one method. Only that thread writes here. */
class Calls {
    /** The record of a method that was never called. */
    static final String NONE = record(0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0);

    /** Timed calls after which the rate of sampling is chosen anew. */
    private static final int STRATUM = 64;
    private static final int SELDOM = 64;
    private static final double SHORT_NS = 2000.0;
    private static final double LONG_NS = 20000.0;
    private static final double SCHEDULER_NS = 50000.0;

    /** Modes count, control and delay: calls until the next delay. */
    long left = Probe.BATCH;
    /** Nanoseconds that the last delay was too short, below zero: too long. */
    double carried;
    /** By arm. */
    final long[] batches = new long[Probe.ARMS];
    final double[] requested = new double[Probe.ARMS];
    final double[] injected = new double[Probe.ARMS];

    /**
     * Mode time: entries to all methods by the threads that came to each of them first, which mostly are one: so
     * the cost of all probes inside a timed call is known.
     */
    static long everywhere;

    /** Mode time: all calls, and how many of them have not ended. */
    long entered;
    int depth;
    /** Outermost calls until one is timed; 0: this one is. */
    int gap = 1;

    /** Mode time: what was cut off long calls, for all calls that they stand for. */
    double cut;

    private long start;
    private long before;
    private int interval = 1;
    private long random = Clock.now() | 1;
    /** Outermost calls up to the next timed one. */
    private long outermost = 1;
    /** The open stratum: calls sampled at one rate, of which each timed one stands for as many. */
    private int timed;
    private long sampled;
    private double sum;
    private long first;
    /** The closed strata: calls and what they took in all. */
    private long closed;
    private double total;
    private double mean;
    /** The same at two former moments; at the later one twice as many calls were closed. */
    private long closedBefore;
    private double totalBefore;
    private long closedLately;
    private double totalLately;

    /** Starts to time a call, before which so many were entered. */
    final void begin(long entries) {
        gap = 0;
        before = entries;
        start = Clock.now();
    }

    /** Ends what `begin` started; by now so many were entered. */
    final void end(long entries) {
        double elapsed = Clock.now() - start - Clock.SHOWN_NS;
        // What probes cost is an estimate, and must not eat up what it is taken from.
        elapsed -= Math.min((entries - before - 1) * Clock.NESTED_NS, 0.8 * elapsed);
        // What takes so much longer than others was interrupted, and would stand for 64 calls.
        double longest = Math.max(SCHEDULER_NS, 20 * mean);
        if (mean > 0 && elapsed > longest) {
            cut += (elapsed - longest) * interval;
            elapsed = longest;
        }
        sampled++;
        sum += elapsed;
        if (++timed == STRATUM) {
            closeStratum();
        }
        gap = interval == 1 ? 1 : 1 + (int) (next() % (2 * interval - 1));
        outermost += gap;
    }

    private void closeStratum() {
        mean = sum / timed;
        total += mean * (outermost - first);
        closed = first = outermost;
        sum = 0.0;
        timed = 0;
        interval = mean > LONG_NS ? 1 : mean > SHORT_NS ? 4 : SELDOM;
        if (closed >= 2 * closedLately) {
            closedBefore = closedLately;
            totalBefore = totalLately;
            closedLately = closed;
            totalLately = total;
        }
    }

    /** Returns a random number, so that no pattern of the subject stays in step with the sample. */
    private long next() {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        return random >>> 1;
    }

    final long count() {
        return Probe.TIMED ? entered : sum(batches) * Probe.BATCH + (Probe.BATCH - left);
    }

    private static long sum(long[] numbers) {
        long sum = 0;
        for (long number : numbers) {
            sum += number;
        }
        return sum;
    }

    /**
     * Returns what all outermost calls would have taken at the pace of the last half or more of them:
     * the first calls of a process are interpreted, and no benchmark measures them.
     */
    final double timedNs() {
        long outer = outermost - gap;
        if (closed == closedBefore) {
            return timed > 0 ? Math.max(0.0, sum / timed * outer) : 0.0;
        }
        return Math.max(0.0, (total - totalBefore) / (closed - closedBefore) * outer);
    }

    /** Returns what this took itself in mode time: two readings of the clock in each timed call, and the rest. */
    final double probeNs() {
        return Probe.TIMED ? entered * Clock.nestedByNow() + 2 * sampled * Clock.SHOWN_NS : 0.0;
    }

    static String record(
            long calls, long untimed, long batches, double requested, double injected, double timed, double cut,
            double probe) {
        return "{\"calls\": " + calls + ", \"setup_calls\": " + untimed + ", \"batches\": " + batches
                + (Probe.PROPORTIONAL ? ", \"requested_ns\": " + requested : "") + ", \"injected_ns\": " + injected
                + ", \"timed_ns\": " + timed + ", \"cut_ns\": " + cut + ", \"probe_ns\": " + probe + "}";
    }
}
