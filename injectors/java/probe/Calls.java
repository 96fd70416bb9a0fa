package abs_audit_probe_;

/** What one thread did in one method. Only that thread writes here. */
class Calls {
    /** The record of a method that was never called. */
    static final String NONE = record(0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);

    /** Timed calls after which the rate of sampling is chosen anew. */
    private static final int STRATUM = 64;
    private static final int SELDOM = 64;
    private static final double SHORT_NS = 2000.0;
    private static final double LONG_NS = 20000.0;
    private static final double SCHEDULER_NS = 50000.0;
    /** Part of a time that is taken off for probes at most: what they cost is an estimate. */
    private static final double MOST_COST = 0.8;

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
    /** When the last timed call had ended; 0: nothing waits for the next one. */
    private long ended;
    /** Entries to all methods by then, and what had been prepared. */
    private long entriesThen;
    private long preparedThen;
    /** Outermost calls from the one after a timed one to the next timed one. */
    private int pause;
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
    /** What lies between a timed call and the next one: in all, lately and before that, as for calls. */
    private double apart;
    private double apartLately;
    private double apartBefore;
    private long gaps;
    private long gapsLately;
    private long gapsBefore;

    /** Starts to time a call, before which so many were entered, if it is not the one after a timed one only. */
    final void begin(long entries) {
        if (ended != 0) {
            follow(without(Clock.now() - ended - Clock.SHOWN_NS, entries - entriesThen));
            ended = 0;
            outermost += pause;
            gap = pause;
            if (pause > 0) {
                return;
            }
        }
        gap = 0;
        before = entries;
        start = Clock.now();
    }

    /** Notes what passed since a timed call. */
    private void follow(double elapsed) {
        // What is prepared between two calls is no part of the benchmark.
        if (Probe.preparations() == preparedThen) {
            apart += Math.min(elapsed, longest(apart / Math.max(1, gaps)));
            gaps++;
        }
    }

    /** Returns what a time counts for at most, by the mean of others: longer ones were interrupted. */
    private static double longest(double mean) {
        return Math.max(SCHEDULER_NS, 20 * mean);
    }

    /** Returns a time without what the probes of so many calls in it took. */
    private static double without(double elapsed, long entries) {
        return elapsed - Math.min(entries * Clock.NESTED_NS, MOST_COST * elapsed);
    }

    /** Returns a mean time of all outermost calls, or between them, without the half of their own probes in it. */
    private double ofAll(double mean) {
        return Math.max(0.0, mean - Math.min(Clock.nestedByNow() / 2, MOST_COST * mean)) * (outermost - gap);
    }

    /** Ends what `begin` started; by now so many were entered. */
    final void end(long entries) {
        double elapsed = without(Clock.now() - start - Clock.SHOWN_NS, entries - before - 1);
        // What takes so much longer than others was interrupted, and would stand for 64 calls.
        double longest = longest(mean);
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
        if (interval == SELDOM) {
            awaitNext(entries);
        }
    }

    /** Has the next call say when it begins, whether it is timed or not. */
    private void awaitNext(long entries) {
        pause = gap - 1;
        outermost -= pause;
        gap = 1;
        entriesThen = entries;
        preparedThen = Probe.preparations();
        ended = Clock.now();
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
            apartBefore = apartLately;
            gapsBefore = gapsLately;
            apartLately = apart;
            gapsLately = gaps;
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
        if (closed == closedBefore) {
            return timed > 0 ? ofAll(sum / timed) : 0.0;
        }
        return ofAll((total - totalBefore) / (closed - closedBefore));
    }

    /** Returns what passed between these calls, where they are short; 0: not known. */
    final double apartNs() {
        boolean known = interval == SELDOM && gaps > gapsBefore;
        return known ? Math.max(1.0, ofAll((apart - apartBefore) / (gaps - gapsBefore))) : 0.0;
    }

    /** Returns what this took itself in mode time: two readings of the clock for each timed call and gap, and the rest. */
    final double probeNs() {
        return Probe.TIMED ? entered * Clock.nestedByNow() + 2 * (sampled + gaps) * Clock.SHOWN_NS : 0.0;
    }

    static String record(
            long calls, long untimed, long loading, long batches, double requested, double injected, double timed, double apart,
            double cut, double probe) {
        return "{\"calls\": " + calls + ", \"setup_calls\": " + (untimed + loading)
                + ", \"loading_calls\": " + loading + ", \"batches\": " + batches
                + (Probe.PROPORTIONAL ? ", \"requested_ns\": " + requested : "") + ", \"injected_ns\": " + injected
                + ", \"timed_ns\": " + timed + ", \"apart_ns\": " + apart
                + ", \"cut_ns\": " + cut + ", \"probe_ns\": " + probe + "}";
    }
}
