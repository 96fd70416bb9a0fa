package abs_audit_probe_;

import java.util.concurrent.locks.LockSupport;

/** What the clock and the probes cost here and now, measured when a process begins. */
final class Clock {
    private static final String PROPERTY = "abs_audit.probe.clock";
    private static final int TIMES = 2000;
    /** Long enough for what is measured to be compiled, where nobody else wants the processor... */
    private static final long PATIENCE_NS = 20000000;
    /** ...and if it became so much faster, not all of it was before. */
    private static final double COMPILED = 0.9;
    /** Given between measurements to what compiles, which may have no other processor. */
    private static final long PAUSE_NS = 100000;

    /** What the clock shows between two readings with nothing in between. */
    static final double SHOWN_NS;
    /** What an entry and an exit inside a timed call take. */
    static final double NESTED_NS;
    private static double nestedByNow;

    static {
        // Each module has a copy of this class; one of them measures for all, since it takes a while.
        double[] costs = known();
        if (costs == null) {
            costs = new double[] {shown(), Probe.TIMED ? nested() : 0.0};
            remember(costs);
        }
        SHOWN_NS = costs[0];
        NESTED_NS = costs[1];
    }

    private Clock() {
    }

    /** Returns what another copy of this class measured in this process, or null. */
    private static double[] known() {
        try {
            String[] texts = System.getProperty(PROPERTY, "").split(" ");
            return texts.length < 2 ? null
                : new double[] {Double.parseDouble(texts[0]), Double.parseDouble(texts[1])};
        } catch (SecurityException denied) {
            return null;
        }
    }

    private static void remember(double[] costs) {
        try {
            System.setProperty(PROPERTY, costs[0] + " " + costs[1]);
        } catch (SecurityException denied) {
            // Then every copy measures for itself.
        }
    }

    static long now() {
        return System.nanoTime();
    }

    /** Has everything measured now, lest it be done inside a measured call. */
    static void wind() {
    }

    /** Returns `NESTED_NS` again: on a busy machine it may have been measured before it was compiled. */
    static synchronized double nestedByNow() {
        if (nestedByNow == 0.0) {
            nestedByNow = Math.min(NESTED_NS, nested());
        }
        return nestedByNow;
    }

    private static double shown() {
        return least(null);
    }

    private static double nested() {
        return least(new Site("", new double[1]));
    }

    /** Returns the least that an entry and an exit of a site take once compiled, of none a reading of the clock. */
    private static double least(Site site) {
        double least = measured(site);
        long began = now();
        for (long faster = began; mayBecomeFaster(began, faster);) {
            double cost = measured(site);
            faster = cost < COMPILED * least ? now() : faster;
            least = Math.min(least, cost);
        }
        return least;
    }

    private static double measured(Site site) {
        if (site == null) {
            return readings();
        }
        // Outermost calls that are not timed: the same work, and what real calls mostly do.
        site.gap = Integer.MAX_VALUE;
        return pairs(site);
    }

    /** Tells whether what is measured may not be compiled yet, which it waits for a little. */
    private static boolean mayBecomeFaster(long began, long faster) {
        LockSupport.parkNanos(PAUSE_NS);
        return now() - faster < Math.max(PATIENCE_NS, faster - began);
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
