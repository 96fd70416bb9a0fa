package abs_audit_probe_;

import java.util.Arrays;

/** What the clock and the probes cost here and now, measured when a process begins. */
final class Clock {
    private static final int ROUNDS = 31;
    private static final int READINGS = 2000;

    /** What the clock shows between two readings with nothing in between. */
    static final double SHOWN_NS = shown();
    /** What an entry and an exit inside a timed call take. */
    static final double NESTED_NS = 0.0;

    private Clock() {
    }

    private static double shown() {
        double[] rounds = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            rounds[round] = readings();
        }
        // The last rounds are compiled; among them an interrupted one is not the median.
        Arrays.sort(rounds, ROUNDS / 2, ROUNDS);
        return rounds[ROUNDS * 3 / 4];
    }

    private static double readings() {
        long start = System.nanoTime();
        for (int reading = 1; reading < READINGS; reading++) {
            System.nanoTime();
        }
        return (double) (System.nanoTime() - start) / READINGS;
    }
}
