package abs_audit_probe_;

/** What the clock and the probes cost here and now, measured when a process begins. */
final class Clock {
    private static final int TIMES = 2000;
    /** Long enough for what is measured to be compiled. */
    private static final long PATIENCE_NS = 20000000;

    /** What the clock shows between two readings with nothing in between. */
    static final double SHOWN_NS = shown();
    /** What an entry and an exit inside a timed call take. */
    static final double NESTED_NS = Probe.TIMED ? nested() : 0.0;

    private Clock() {
    }

    static long now() {
        return System.nanoTime();
    }

    /** Has everything measured now, lest it be done inside a measured call. */
    static void wind() {
    }

    private static double shown() {
        double least = readings();
        for (long end = now() + PATIENCE_NS; now() < end;) {
            least = Math.min(least, readings());
        }
        return least;
    }

    private static double nested() {
        Site site = new Site("", new double[1]);
        double least = pairs(site);
        for (long end = now() + PATIENCE_NS; now() < end;) {
            // Outermost calls that are not timed: the same work, and what real calls mostly do.
            site.gap = Integer.MAX_VALUE;
            least = Math.min(least, pairs(site));
        }
        return least;
    }

    private static double readings() {
        long start = now();
        for (int reading = 1; reading < TIMES; reading++) {
            now();
        }
        return (double) (now() - start) / TIMES;
    }

    private static double pairs(Site site) {
        long start = now();
        for (int pair = 0; pair < TIMES; pair++) {
            site.enter();
            site.leave();
        }
        return (double) (now() - start) / TIMES;
    }
}
