package abs_audit_probe_;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the probes of this process do: read once from the file that the environment names, or from the
 * environment itself, and told at the end in a tally.
 *
 * <p>Lies in a copy of its own beside the classes of each module that has probes. Java 7 and java.base
 * only, since it is compiled as a part of whatever library is audited.
 */
public final class Probe {
    private static final String BUILD_ID = "@BUILD_ID@";
    private static final List<String> MODES = Arrays.asList("off", "count", "time", "control", "delay");
    private static final Properties SETTINGS = settings();
    private static final String MODE = setting("ABS_PROBE_MODE", "off");

    /** Whether entries and exits are timed; a constant for the compiler, like all that follow. */
    static final boolean TIMED = MODE.equals("time");
    /** Calls that are paid for at once. */
    static final long BATCH = pays() ? batch() : Long.MAX_VALUE;

    /** For each arm that takes turns in this process. */
    private static final double[] DELAYS_NS = MODE.equals("delay") ? delays() : new double[1];
    static final int ARMS = DELAYS_NS.length;
    /** The arm whose turn it is. */
    static final AtomicInteger ARM = ARMS > 1 ? (AtomicInteger) turns("ARM") : new AtomicInteger();
    /** Whether delays are in proportion to a control in this process; else they are what was asked for. */
    static final boolean PROPORTIONAL = setting("ABS_PROBE_CONTROL_NS", null) != null;
    /** Bits of a double: what is owed now by what was asked for. */
    private static final AtomicLong FACTOR =
        ARMS > 1 ? (AtomicLong) turns("FACTOR") : new AtomicLong(Double.doubleToLongBits(1.0));
    /** By arm: the method that pays. */
    private static final List<String> SLOWED = MODE.equals("delay") ? slowed() : Arrays.asList("");
    private static final Set<String> METHODS = methods();
    private static final Map<String, Site> SITES = new HashMap<String, Site>();

    static {
        String path = setting("ABS_PROBE_TALLY", null);
        if (path != null) {
            begin(path);
        }
        if (TIMED || pays()) {
            Clock.wind();
        }
    }

    private Probe() {
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
                    site = new Site(method, owed(name));
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

    /** Returns the nanoseconds that a call of a method is asked to owe, by arm. */
    private static double[] owed(String name) {
        double[] owed = new double[ARMS];
        for (int arm = 0; arm < ARMS; arm++) {
            owed[arm] = SLOWED.get(arm).equals(name) ? DELAYS_NS[arm] : 0.0;
        }
        return owed;
    }

    /** Returns what the environment may make of a name: how Java decodes it depends on the locale. */
    private static List<String> spellings(String method) {
        byte[] bytes = method.getBytes(StandardCharsets.UTF_8);
        String ascii = new String(bytes, StandardCharsets.US_ASCII);
        return Arrays.asList(method, ascii, new String(bytes, StandardCharsets.ISO_8859_1));
    }

    private static boolean pays() {
        if (!MODES.contains(MODE)) {
            throw new IllegalArgumentException("ABS_PROBE_MODE: expected one of " + MODES + ", found " + MODE);
        }
        return MODE.equals("control") || MODE.equals("delay");
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

    private static String required(String name) {
        String value = setting(name, null);
        if (value == null) {
            throw new IllegalArgumentException(name + ": expected in mode " + MODE + ", found none");
        }
        return value;
    }

    private static long batch() {
        long batch = Long.parseLong(required("ABS_PROBE_BATCH"));
        if (batch < 1) {
            throw new IllegalArgumentException("ABS_PROBE_BATCH: expected at least one call, found " + batch);
        }
        return batch;
    }

    private static double[] delays() {
        String[] texts = required("ABS_PROBE_DELAY_NS").split(",");
        double[] delays = new double[texts.length];
        for (int arm = 0; arm < delays.length; arm++) {
            delays[arm] = Double.parseDouble(texts[arm]);
            if (!(delays[arm] >= 0.0 && delays[arm] < 1e18)) {
                throw new IllegalArgumentException(
                    "ABS_PROBE_DELAY_NS: expected nanoseconds, found " + delays[arm]);
            }
        }
        return delays;
    }

    private static List<String> slowed() {
        List<String> slowed = Arrays.asList(required("ABS_PROBE_SLOWED").split("\n"));
        if (slowed.size() != ARMS) {
            throw new IllegalArgumentException(
                "ABS_PROBE_SLOWED: expected a method for each of " + ARMS + " delays, found " + slowed.size());
        }
        return slowed;
    }

    /** Returns a field of what lets arms take turns in the harness of this process. */
    private static Object turns(String field) {
        String name = required("ABS_PROBE_TURNS");
        try {
            return Class.forName(name).getField(field).get(null);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException("ABS_PROBE_TURNS: expected a class with a field " + field, error);
        }
    }

    private static Set<String> methods() {
        Set<String> methods = new LinkedHashSet<String>();
        if (!MODE.equals("off")) {
            methods.addAll(Arrays.asList(setting("ABS_PROBE_METHODS", "").split("\n")));
            methods.remove("");
        }
        return methods;
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
