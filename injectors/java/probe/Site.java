package abs_audit_probe_;

import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * All the places in the sources that belong to one method, if it is active.
 *
 * <p>The first thread that comes keeps its calls in the site itself, where a compiler knows their address;
 * other threads have records of their own. So nothing is shared and each thread pays what it owes.
 */
final class Site extends Calls {
    final String method;
    private final double owed;
    private final Map<Thread, Calls> others = new IdentityHashMap<Thread, Calls>();
    /** The same by thread, faster; pools may erase it. */
    private final ThreadLocal<Calls> mine = new ThreadLocal<Calls>();
    /** Only a thread itself writes itself here, so that a racy read cannot mislead another. */
    private Thread owner;
    private int sweep = 64;
    private long goneCalls;
    private long goneBatches;
    private double gonePaid;
    private double goneTimed;

    Site(String method, double owed) {
        this.method = method;
        this.owed = owed;
    }

    /** Counts an entry and pays what is due. */
    void enter() {
        Calls calls = Thread.currentThread() == owner ? this : other();
        if (Probe.TIMED) {
            if (calls.depth == 0 && --calls.gap <= 0) {
                calls.begin();
            }
            // Last, since a stack overflow above must leave a call that never began uncounted.
            calls.entered++;
            calls.depth++;
        } else if (--calls.left <= 0) {
            due(calls);
        }
    }

    /** Ends what `enter` began; in mode time only. */
    void leave() {
        Calls calls = Thread.currentThread() == owner ? this : other();
        if (--calls.depth == 0 && calls.gap == 0) {
            calls.end();
        }
    }

    private void due(Calls calls) {
        // Added, since a stack overflow may have kept earlier payments from beginning.
        calls.left += Probe.BATCH;
        calls.batches++;
        double debt = calls.debt + owed;
        long start = Clock.now();
        double end = debt + (owed > 0 ? Clock.SHOWN_NS : 0.0);
        long elapsed = Clock.now() - start;
        while (elapsed < end) {
            elapsed = Clock.now() - start;
        }
        if (owed > 0) {
            double paid = elapsed - Clock.SHOWN_NS;
            // An overshoot is carried on; what is above a whole batch was not ours but the scheduler's.
            calls.debt = Math.max(debt - paid, -owed);
            calls.paid += debt - calls.debt;
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
                goneBatches += one.getValue().batches;
                gonePaid += one.getValue().paid;
                goneTimed += one.getValue().timedNs();
                all.remove();
            }
        }
    }

    /** Returns what all threads did. */
    synchronized String total() {
        long calls = goneCalls + count();
        long batches = goneBatches + this.batches;
        double paid = gonePaid + this.paid;
        double timed = goneTimed + timedNs();
        for (Calls one : others.values()) {
            calls += one.count();
            batches += one.batches;
            paid += one.paid;
            timed += one.timedNs();
        }
        return record(calls, batches, paid, timed);
    }
}
