package abs_audit_probe_;

/** What one thread did in one method. Only that thread writes here. */
class Calls {
    /** The record of a method that was never called. */
    static final String NONE = record(0, 0, 0.0, 0.0);

    private static final int STRATUM = 64;
    private static final int MOST_SKIPPED = 64;
    private static final double SHORT_NS = 2000.0;
    private static final double LONG_NS = 20000.0;
    private static final double SCHEDULER_NS = 50000.0;

    /** Calls until the next payment. */
    long left = Probe.BATCH;
    long batches;
    double debt;
    double paid;

    /** All calls, and those that have not ended; in mode time only. */
    long entered;
    int depth;
    /** Outermost calls until one is timed; 0: this one. */
    int gap = 1;

    private long start;
    private long enteredBefore;
    private int interval = 1;
    private long random = System.nanoTime() | 1;
    /** The open stratum: a run of calls that are sampled at one rate and weigh as many calls as it holds. */
    private int timed;
    private long outermost = 1;
    private double sum;
    /** The closed strata. */
    private double total;
    private double mean;

    /** Starts to time a call. */
    final void begin() {
        gap = 0;
        enteredBefore = entered;
        start = System.nanoTime();
    }

    /** Ends what `begin` started. */
    final void end() {
        double nested = (entered - enteredBefore - 1) * Clock.NESTED_NS;
        double elapsed = System.nanoTime() - start - Clock.SHOWN_NS - nested;
        // What takes so much longer than others was interrupted; one of 64 would count for all of them.
        double longest = Math.max(SCHEDULER_NS, 20 * mean);
        sum += mean > 0 ? Math.min(elapsed, longest) : elapsed;
        if (++timed == STRATUM) {
            closeStratum();
        }
        gap = interval == 1 ? 1 : 1 + (int) (next() % (2 * interval - 1));
        outermost += gap;
    }

    private void closeStratum() {
        mean = sum / timed;
        total += mean * outermost;
        sum = 0.0;
        timed = 0;
        outermost = 0;
        interval = mean > LONG_NS ? 1 : mean > SHORT_NS ? 4 : MOST_SKIPPED;
    }

    /** Returns a random number, so that no pattern of the subject stays in step with the sample. */
    private long next() {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        return random >>> 1;
    }

    final long calls() {
        return Probe.TIMED ? entered : batches * Probe.BATCH + (Probe.BATCH - left);
    }

    final double timedNs() {
        // The calls since the last timed one belong to the stratum; those to come do not.
        long outer = outermost - gap;
        double rest = timed > 0 ? sum / timed * outer : mean * outer;
        return Math.max(0.0, total + rest);
    }

    static String record(long calls, long batches, double paid, double timed) {
        return "{\"calls\": " + calls + ", \"setup_calls\": 0, \"batches\": " + batches
                + ", \"paid_ns\": " + paid + ", \"timed_ns\": " + timed + "}";
    }
}
