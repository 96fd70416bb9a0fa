package abs_audit_tracer;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counts calls by the kind of their nearest caller that is neither the JDK nor a bridge. */
public final class Recorder {
    private static final int DIRECT = 0;
    private static final int INTERNAL = 1;
    private static final int OTHER = 2;
    private static final int JDK = 3;
    private static final int MOST_SAMPLES = 8;
    private static final int LONGEST = 200;

    private static final Map<String, Entry> ENTRIES = new ConcurrentHashMap<>();
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    private static Set<String> packages;
    private static Path downstream;

    private static final ClassValue<Integer> KINDS = new ClassValue<>() {
        @Override
        protected Integer computeValue(Class<?> type) {
            ClassLoader loader = type.getClassLoader();
            if (loader == null || loader == ClassLoader.getPlatformClassLoader()) {
                return JDK;
            }
            if (isDownstream(type.getProtectionDomain())) {
                return DIRECT;
            }
            return packages.contains(type.getPackageName()) ? INTERNAL : OTHER;
        }
    };

    /** The bridges of a class, as javac writes them for callers that know a method by other types: name and types. */
    private static final ClassValue<Set<String>> BRIDGES = new ClassValue<>() {
        @Override
        protected Set<String> computeValue(Class<?> type) {
            Set<String> bridges = new HashSet<>();
            try {
                for (Method method : type.getDeclaredMethods()) {
                    if (method.isBridge()) {
                        MethodType types = MethodType.methodType(method.getReturnType(), method.getParameterTypes());
                        bridges.add(method.getName() + types.toMethodDescriptorString());
                    }
                }
            } catch (LinkageError error) {
                // Some type that it names is not there: nobody can tell.
            }
            return bridges;
        }
    };

    private Recorder() {
    }

    /** What is known of one method. */
    private static final class Entry {
        final AtomicLongArray counts = new AtomicLongArray(JDK);
        final Set<String> samples = new LinkedHashSet<>();
    }

    static void begin(Set<String> library, String project, String folder) {
        packages = library;
        downstream = Paths.get(project).toAbsolutePath();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> write(Paths.get(folder)), "abs-audit calls"));
    }

    /** Tells whether a class was compiled by the downstream project: it lies in a folder below it. */
    static boolean isDownstream(ProtectionDomain domain) {
        CodeSource source = domain == null ? null : domain.getCodeSource();
        if (source == null || source.getLocation() == null || !source.getLocation().getProtocol().equals("file")) {
            return false;
        }
        try {
            return Paths.get(source.getLocation().toURI()).startsWith(downstream);
        } catch (URISyntaxException error) {
            return false;
        }
    }

    /** Counts one call; the method is its class, name and descriptor with tabs between. */
    public static void called(String method, Object[] arguments) {
        int kind = STACK.walk(frames -> {
            Iterator<StackWalker.StackFrame> each = frames.skip(2).iterator();
            while (each.hasNext()) {
                StackWalker.StackFrame frame = each.next();
                int found = KINDS.get(frame.getDeclaringClass());
                if (found != JDK && !isBridge(frame)) {
                    return found;
                }
            }
            return OTHER;
        });
        Entry entry = ENTRIES.computeIfAbsent(method, key -> new Entry());
        entry.counts.incrementAndGet(kind);
        if (kind == DIRECT && arguments.length > 0) {
            sample(entry, arguments);
        }
    }

    private static boolean isBridge(StackWalker.StackFrame frame) {
        Set<String> bridges = BRIDGES.get(frame.getDeclaringClass());
        return !bridges.isEmpty() && bridges.contains(frame.getMethodName() + frame.getDescriptor());
    }

    private static void sample(Entry entry, Object[] arguments) {
        synchronized (entry.samples) {
            if (entry.samples.size() >= MOST_SAMPLES) {
                return;
            }
        }
        StringBuilder text = new StringBuilder();
        for (Object one : arguments) {
            String literal = literal(one);
            if (literal == null || text.length() > LONGEST) {
                return;
            }
            text.append(text.length() == 0 ? "" : ", ").append(literal);
        }
        synchronized (entry.samples) {
            entry.samples.add(text.toString());
        }
    }

    /** Returns the source text of a value of a basic type, null for any other. */
    private static String literal(Object value) {
        if (value instanceof String) {
            String text = (String) value;
            return text.length() > LONGEST ? null : quoted(text, '"');
        }
        if (value instanceof Character) {
            return quoted(String.valueOf(value), '\'');
        }
        if (value instanceof Long) {
            return value + "L";
        }
        if (value instanceof Float || value instanceof Double) {
            double number = ((Number) value).doubleValue();
            boolean plain = !Double.isNaN(number) && !Double.isInfinite(number);
            return plain ? value + (value instanceof Float ? "f" : "") : null;
        }
        return value instanceof Integer || value instanceof Boolean ? String.valueOf(value) : null;
    }

    private static String quoted(String text, char mark) {
        StringBuilder result = new StringBuilder().append(mark);
        for (char one : text.toCharArray()) {
            if (one == mark || one == '\\') {
                result.append('\\').append(one);
            } else if (one < ' ' || one > '~') {
                result.append(String.format("\\u%04x", (int) one));
            } else {
                result.append(one);
            }
        }
        return result.append(mark).toString();
    }

    /** Writes a line a method: class, name, descriptor, the three counts, and the samples, with tabs between. */
    private static void write(Path folder) {
        if (ENTRIES.isEmpty()) {
            return;
        }
        try {
            Path path = Files.createTempFile(folder, "calls-", ".unfinished");
            try (PrintWriter lines = new PrintWriter(Files.newBufferedWriter(path, StandardCharsets.UTF_8))) {
                for (Map.Entry<String, Entry> one : ENTRIES.entrySet()) {
                    AtomicLongArray counts = one.getValue().counts;
                    lines.print(one.getKey() + "\t" + counts.get(DIRECT) + "\t" + counts.get(INTERNAL) + "\t"
                            + counts.get(OTHER));
                    synchronized (one.getValue().samples) {
                        one.getValue().samples.forEach(text -> lines.print("\t" + text));
                    }
                    lines.print("\n");
                }
            }
            String name = path.getFileName().toString().replace(".unfinished", ".tsv");
            Files.move(path, path.resolveSibling(name));
        } catch (IOException error) {
            System.err.println("abs-audit: the calls could not be written: " + error);
        }
    }
}
