package abs_audit_probe_;

import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * All the places in the sources that belong to one method, if it is active.
 *
 * <p>The first thread that comes keeps its calls in the site itself, where a compiler knows their address;
 * other threads have records of their own. So nothing is shared and each thread has its own delays.
 */
final class Site extends Calls {
    /**
     * What takes the processor for longer may have let another thread do its work meanwhile. Less than a scheduler
     * takes it for must not: delays are in proportion to what was interrupted, too, so where interruptions come on
     * top of them they are longer than asked for by that proportion once more.
     */
    private static final double INTERRUPTION_NS = 2e7;
    /** Looking at so many stacks takes some milliseconds. */
    private static final int MOST_LOADING = 1000;

    final String method;
    /** Nanoseconds that are asked for a batch, by arm. */
    private final double[] asked;
    private final Map<Thread, Calls> others = new IdentityHashMap<Thread, Calls>();
    /** The same by thread, faster; pools may erase it. */
    private final ThreadLocal<Calls> mine = new ThreadLocal<Calls>();
    /** Only a thread itself writes itself here, so that a racy read cannot mislead another. */
    private Thread owner;
    /** Calls by what no harness times, which are never delayed. */
    private long untimed;
    /** Calls by static initialisers, as long as there are no others. */
    private long loading;
    private boolean isLoading = Probe.COUNTING;
    private int sweep = 64;
    private long goneCalls;
    private double goneTimed;
    private double goneCut;
    private double goneProbe;
    private final long[] goneBatches = new long[Probe.ARMS];
    private final double[] goneRequested = new double[Probe.ARMS];
    private final double[] goneInjected = new double[Probe.ARMS];

    Site(String method, double[] delays) {
        this.method = method;
        asked = new double[delays.length];
        for (int arm = 0; arm < asked.length; arm++) {
            asked[arm] = delays[arm] * Probe.BATCH;
        }
    }

    /** Counts an entry and does what is due. */
    void enter() {
        if (Probe.COUNTING && isLoading && isOfInitialiser()) {
            return;
        }
        Thread current = Thread.currentThread();
        if (Probe.prepares(current)) {
            untimed++;
            return;
        }
        Calls calls = current == owner ? this : other();
        if (Probe.TIMED) {
            if (calls.depth == 0 && --calls.gap <= 0) {
                calls.begin(entries(calls));
            }
            // Last, since a stack overflow above must leave a call that never began uncounted.
            calls.entered++;
            calls.depth++;
            if (calls == this) {
                everywhere++;
            }
        } else if (--calls.left <= 0) {
            due(calls);
        }
    }

    /** Tells whether the stack says that a class is initialised; another call, or very many, end the looking. */
    private synchronized boolean isOfInitialiser() {
        isLoading = false;
        for (StackTraceElement frame : new Throwable().getStackTrace()) {
            isLoading |= loading < MOST_LOADING && frame.getMethodName().equals("<clinit>");
        }
        loading += isLoading ? 1 : 0;
        return isLoading;
    }

    /** Ends what `enter` began; in mode time only. */
    void leave() {
        Thread current = Thread.currentThread();
        if (Probe.prepares(current)) {
            return;
        }
        Calls calls = current == owner ? this : other();
        if (--calls.depth == 0 && calls.gap == 0) {
            calls.end(entries(calls));
        }
    }

    private long entries(Calls calls) {
        return calls == this ? everywhere : calls.entered;
    }

    private void due(Calls calls) {
        // Added, since a stack overflow may have kept earlier delays from beginning.
        calls.left += Probe.BATCH;
        int arm = Probe.ARM.get();
        calls.batches[arm]++;
        if (Probe.COUNTING) {
            return;
        }
        double requested = asked[arm] * Probe.factor();
        double length = calls.carried + requested;
        calls.requested[arm] += requested;
        long start = Clock.now();
        double end = length + (requested > 0 ? Clock.SHOWN_NS : 0.0);
        long elapsed = Clock.now() - start;
        while (elapsed < end) {
            elapsed = Clock.now() - start;
        }
        if (requested > 0) {
            double took = elapsed - Clock.SHOWN_NS;
            // Interruptions are a part of the delay, as they are of the time that delays are sized by, so an overshoot
            // is carried on.
            calls.carried = Math.max(length - took, -Math.max(requested, INTERRUPTION_NS));
            calls.injected[arm] += length - calls.carried;
        }
    }

    private Calls other() {
        Calls known = mine.get();
        return known != null ? known : arrival();
    }

    private synchronized Calls arrival() {
        Thread current = Thread.currentThread();
        if (owner == null || owner == current) {
            owner = current;
            return this;
        }
        Calls known = others.get(current);
        if (known == null) {
            if (others.size() >= sweep) {
                forgetTheDead();
                sweep = 64 + 2 * others.size();
            }
            known = new Calls();
            others.put(current, known);
        }
        mine.set(known);
        return known;
    }

    private void forgetTheDead() {
        for (Iterator<Map.Entry<Thread, Calls>> all = others.entrySet().iterator(); all.hasNext();) {
            Map.Entry<Thread, Calls> one = all.next();
            if (!one.getKey().isAlive()) {
                goneCalls += one.getValue().count();
                for (int arm = 0; arm < Probe.ARMS; arm++) {
                    goneBatches[arm] += one.getValue().batches[arm];
                    goneRequested[arm] += one.getValue().requested[arm];
                    goneInjected[arm] += one.getValue().injected[arm];
                }
                goneTimed += one.getValue().timedNs();
                goneCut += one.getValue().cut;
                goneProbe += one.getValue().probeNs();
                all.remove();
            }
        }
    }

    /** Returns what all threads did in an arm; where there are several, whole batches of calls are known. */
    synchronized String total(int arm) {
        long calls = goneCalls + count();
        long batches = goneBatches[arm] + this.batches[arm];
        double requested = goneRequested[arm] + this.requested[arm];
        double injected = goneInjected[arm] + this.injected[arm];
        double timed = goneTimed + timedNs();
        double allCut = goneCut + cut;
        double probe = goneProbe + probeNs();
        for (Calls one : others.values()) {
            calls += one.count();
            batches += one.batches[arm];
            requested += one.requested[arm];
            injected += one.injected[arm];
            timed += one.timedNs();
            allCut += one.cut;
            probe += one.probeNs();
        }
        // Where one arm has all calls, those since its last delay are to be delayed, too; else it never had to be.
        requested += Probe.ARMS == 1 ? (calls - batches * Probe.BATCH) * asked[arm] / Probe.BATCH : 0.0;
        calls = Probe.ARMS == 1 ? calls : batches * Probe.BATCH;
        // Between the calls of one of several threads the others may have made theirs.
        double apart = others.isEmpty() && goneCalls == 0 ? apartNs() : 0.0;
        return record(calls, untimed, loading, batches, requested, injected, timed, apart, allCut, probe);
    }
}
