package abs_audit_probe_;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What the probes of this process do: read once from the file that the environment names, or from the
 * environment itself, and told at the end in a tally.
 *
 * <p>Lies in a copy of its own beside the classes of each module that has probes. Java 7 and java.base
 * only, since it is compiled as a part of whatever library is audited.
 */
public final class Probe {
    private static final String BUILD_ID = "@BUILD_ID@";
    private static final List<String> MODES = Arrays.asList("off", "sample", "count", "time", "control", "delay");
    /** What arms that take turns do: all count, or each is a control or has a delay. */
    private static final List<String> COUNT = Arrays.asList("count");
    private static final List<String> DELAYS = Arrays.asList("control", "delay");
    private static final Properties SETTINGS = settings();
    /** Which arm each turn belongs to; null where there is one arm, whose settings have no number. */
    private static final String TURNS = setting("ABS_PROBE_TURNS", null);
    static final int ARMS = arms();

    /** Whether entries and exits are timed; a constant for the compiler, like all that follow. */
    static final boolean TIMED = mode(0).equals("time");
    static final boolean COUNTING = mode(0).equals("count");
    private static final boolean DELAYING = delaying();
    /** Calls that are delayed at once, or counted where several arms count. */
    static final long BATCH = DELAYING ? batch() : COUNTING && ARMS > 1 ? 1 : Long.MAX_VALUE;
    /** The arm whose turn it is. */
    static final AtomicInteger ARM = TURNS != null ? (AtomicInteger) turn("ARM") : new AtomicInteger();
    /** Whether delays are in proportion to a control in this process; else they are what was asked for. */
    static final boolean PROPORTIONAL = proportional();
    /** Bits of a double: the delay of now by what was asked for. */
    private static final AtomicLong FACTOR =
        TURNS != null ? (AtomicLong) turn("FACTOR") : new AtomicLong(Double.doubleToLongBits(1.0));
    /** The thread that prepares a benchmark or tidies up after it; null where no harness times anything. */
    @SuppressWarnings("unchecked")
    private static final AtomicReference<Thread> UNTIMED =
        setting("ABS_PROBE_SWITCH", null) != null ? (AtomicReference<Thread>) turn("UNTIMED") : null;
    /** How often something was prepared. */
    private static final AtomicLong PREPARED = UNTIMED != null ? (AtomicLong) turn("PREPARED") : new AtomicLong();
    /** By arm: the method that is slowed, empty in a control, and the delay of a call of it. */
    private static final String[] SLOWED = new String[ARMS];
    private static final double[] DELAYS_NS = new double[ARMS];
    private static final Set<String> METHODS = methods();
    private static final Map<String, Site> SITES = new HashMap<String, Site>();

    static {
        for (int arm = 0; arm < ARMS; arm++) {
            boolean delayed = mode(arm).equals("delay");
            SLOWED[arm] = delayed ? required("ABS_PROBE_SLOWED", arm) : "";
            DELAYS_NS[arm] = delayed ? delay(arm) : 0.0;
        }
        String path = setting("ABS_PROBE_TALLY", null);
        if (path != null) {
            begin(path);
        } else if (UNTIMED != null) {
            tellWhenAsked();
        }
        if (TIMED || DELAYING) {
            Clock.wind();
        }
    }

    private Probe() {
    }

    /** Begins what no harness times; false: it is a part of such already. */
    public static boolean prepare() {
        boolean begins = UNTIMED != null && UNTIMED.compareAndSet(null, Thread.currentThread());
        if (begins) {
            PREPARED.incrementAndGet();
        }
        return begins;
    }

    /** Returns how often something was prepared until now. */
    static long preparations() {
        return PREPARED.get();
    }

    /** Ends what `prepare` began. */
    public static void prepared() {
        UNTIMED.set(null);
    }

    /** Tells whether what a thread does now is not timed. */
    static boolean prepares(Thread thread) {
        return UNTIMED != null && UNTIMED.get() == thread;
    }

    /** Says which build this is. */
    public static void main(String[] arguments) {
        String name = Probe.class.getName();
        String where = name.substring(0, name.lastIndexOf('.'));
        System.out.println("{\"build_id\": \"" + BUILD_ID + "\", \"package\": \"" + where + "\"}");
    }

    /** Returns the site of a method, or null where it is not active. */
    static synchronized Site site(String method) {
        for (String name : spellings(method)) {
            if (METHODS.contains(name)) {
                Site site = SITES.get(name);
                if (site == null) {
                    site = new Site(method, delays(name));
                    SITES.put(name, site);
                }
                return site;
            }
        }
        return null;
    }

    /** Returns how much longer a delay is now than what was asked for. */
    static double factor() {
        return Double.longBitsToDouble(FACTOR.get());
    }

    /** Returns the nanoseconds that are asked for a call of a method, by arm. */
    private static double[] delays(String name) {
        double[] delays = new double[ARMS];
        for (int arm = 0; arm < ARMS; arm++) {
            delays[arm] = SLOWED[arm].equals(name) ? DELAYS_NS[arm] : 0.0;
        }
        return delays;
    }

    /** Returns what the environment may make of a name: how Java decodes it depends on the locale. */
    private static List<String> spellings(String method) {
        byte[] bytes = method.getBytes(StandardCharsets.UTF_8);
        String ascii = new String(bytes, StandardCharsets.US_ASCII);
        return Arrays.asList(method, ascii, new String(bytes, StandardCharsets.ISO_8859_1));
    }

    /** Returns the number of arms that have a turn. */
    private static int arms() {
        int arms = 1;
        for (String turn : TURNS == null ? new String[0] : TURNS.split(" ")) {
            if (!turn.matches("[0-9]{1,3}")) {
                throw new IllegalArgumentException("ABS_PROBE_TURNS: expected numbers of arms, found " + turn);
            }
            arms = Math.max(arms, Integer.parseInt(turn) + 1);
        }
        return arms;
    }

    /** Returns the name of a setting of an arm. */
    private static String named(String name, int arm) {
        return TURNS == null ? name : name + "_" + arm;
    }

    private static String mode(int arm) {
        return setting(named("ABS_PROBE_MODE", arm), "off");
    }

    /** Returns a setting that arms which take turns have in common: the compiler takes it for a constant. */
    private static String common(String name) {
        String value = setting(named(name, 0), "");
        for (int arm = 1; arm < ARMS; arm++) {
            if (!setting(named(name, arm), "").equals(value)) {
                throw new IllegalArgumentException(named(name, arm) + ": expected the same as " + named(name, 0));
            }
        }
        return value;
    }

    private static boolean delaying() {
        boolean delaying = false;
        for (int arm = 0; arm < ARMS; arm++) {
            List<String> modes = TURNS == null ? MODES : COUNTING ? COUNT : DELAYS;
            String mode = mode(arm);
            if (!modes.contains(mode)) {
                throw new IllegalArgumentException(
                    named("ABS_PROBE_MODE", arm) + ": expected one of " + modes + ", found " + mode);
            }
            delaying = mode.equals("control") || mode.equals("delay");
        }
        return delaying;
    }

    private static boolean proportional() {
        for (int arm = 0; arm < ARMS; arm++) {
            if (setting(named("ABS_PROBE_CONTROL_NS", arm), null) != null) {
                return true;
            }
        }
        return false;
    }

    private static Properties settings() {
        Properties settings = new Properties();
        String path;
        try {
            settings.putAll(System.getenv());
            path = settings.getProperty("ABS_PROBE_SETTINGS");
        } catch (SecurityException denied) {
            return settings; // the subject's tests may forbid it; then there is no tally either
        }
        if (path != null) {
            settings.clear();
            try {
                settings.load(new ByteArrayInputStream(Files.readAllBytes(new File(path).toPath())));
            } catch (IOException error) {
                throw new IllegalStateException("ABS_PROBE_SETTINGS: cannot read " + path, error);
            }
        }
        return settings;
    }

    private static String setting(String name, String otherwise) {
        String value = SETTINGS.getProperty(name, "");
        return value.isEmpty() ? otherwise : value;
    }

    private static String required(String name, int arm) {
        String value = setting(named(name, arm), null);
        if (value == null) {
            throw new IllegalArgumentException(
                named(name, arm) + ": expected in mode " + mode(arm) + ", found none");
        }
        return value;
    }

    private static long batch() {
        required("ABS_PROBE_BATCH", 0);
        long batch = Long.parseLong(common("ABS_PROBE_BATCH"));
        if (batch < 1) {
            throw new IllegalArgumentException("ABS_PROBE_BATCH: expected at least one call, found " + batch);
        }
        return batch;
    }

    private static double delay(int arm) {
        double delay = Double.parseDouble(required("ABS_PROBE_DELAY_NS", arm));
        if (!(delay >= 0.0 && delay < 1e18)) {
            throw new IllegalArgumentException(
                named("ABS_PROBE_DELAY_NS", arm) + ": expected nanoseconds, found " + delay);
        }
        return delay;
    }

    /** Returns a field of what switches arms in the harness of this process. */
    private static Object turn(String field) {
        try {
            return Class.forName(setting("ABS_PROBE_SWITCH", "")).getField(field).get(null);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException("ABS_PROBE_SWITCH: expected a class with a field " + field, error);
        }
    }

    private static Set<String> methods() {
        Set<String> methods = new LinkedHashSet<String>();
        if (MODES.indexOf(mode(0)) >= MODES.indexOf("count")) {
            methods.addAll(Arrays.asList(common("ABS_PROBE_METHODS").split("\n")));
            methods.remove("");
        }
        return methods;
    }

    /** Lets the harness of this process ask for the tally. */
    @SuppressWarnings("unchecked")
    private static void tellWhenAsked() {
        ((Collection<Callable<String>>) turn("TALLIES")).add(new Callable<String>() {
            @Override
            public String call() {
                return tally();
            }
        });
    }

    /** Leaves a file that says that a tally is to come, and has it written when the process ends. */
    private static void begin(String path) {
        String name = Probe.class.getName();
        File tally = new File(path).getAbsoluteFile();
        String prefix = tally.getName() + "." + name.substring(0, name.lastIndexOf('.')) + ".";
        final File unfinished;
        try {
            unfinished = File.createTempFile(prefix, ".unfinished", tally.getParentFile());
        } catch (IOException error) {
            throw new IllegalStateException("ABS_PROBE_TALLY: cannot write beside " + tally, error);
        }
        Runtime.getRuntime().addShutdownHook(new Thread("abs-audit tally") {
            @Override
            public void run() {
                write(unfinished);
            }
        });
    }

    private static void write(File unfinished) {
        String path = unfinished.getPath();
        File finished = new File(path.substring(0, path.length() - "unfinished".length()) + "json");
        try {
            Files.write(unfinished.toPath(), tally().getBytes(StandardCharsets.US_ASCII));
            Files.move(unfinished.toPath(), finished.toPath(), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException error) {
            // The unfinished file stays and says that there is no tally.
            System.err.println("abs-audit: the tally could not be written: " + error);
        }
    }

    private static String tally() {
        StringBuilder text = new StringBuilder("{\"build_id\": \"" + BUILD_ID + "\", ");
        if (ARMS == 1) {
            text.append("\"methods\": ").append(entries(0));
        } else {
            text.append("\"arms\": [");
            for (int arm = 0; arm < ARMS; arm++) {
                text.append(arm == 0 ? "" : ", ").append(entries(arm));
            }
            text.append("]");
        }
        return text.append("}\n").toString();
    }

    /** Returns what was done in each method, in one arm. */
    private static String entries(int arm) {
        StringBuilder text = new StringBuilder("{");
        for (String method : METHODS) {
            Site site;
            synchronized (Probe.class) {
                site = SITES.get(method);
            }
            text.append(text.length() == 1 ? "" : ", ").append(quoted(site == null ? method : site.method));
            text.append(": ").append(site == null ? Calls.NONE : site.total(arm));
        }
        return text.append("}").toString();
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char one : text.toCharArray()) {
            boolean plain = one >= ' ' && one < 127 && one != '"' && one != '\\';
            quoted.append(plain ? String.valueOf(one) : String.format("\\u%04x", (int) one));
        }
        return quoted.append('"').toString();
    }
}
