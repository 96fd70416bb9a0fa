package abs_audit_driver_;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/**
 * Tells which probed methods benchmarks may call, from the files of the classes alone.
 *
 * <p>A plan is text: lines {@code path CLASSPATH} and {@code root CLASS BENCHMARK}, CLASS being what JMH generated.
 * A line of JSON in a result file tells the methods whose probes a benchmark may come to. From the methods of CLASS
 * everything is followed that code names: whatever has the name and the types of a method that is called may be
 * meant, in any class that is named. Where code does what may call methods by other means, nothing is told of the
 * benchmark.
 */
public final class Reachability {
    /** After it nothing is told of the benchmarks that are left: executing them takes no longer. */
    private static final long PATIENCE_NS = 30_000_000_000L;
    private static final Pattern SITES = Pattern.compile("abs_audit_probe_\\w*/Sites\\d+");
    /** A member of those; it ends in the number of a probe. */
    private static final Pattern SITE = Pattern.compile("[A-Za-z]+(\\d+).*");
    private static final Pattern CLASS = Pattern.compile("(META-INF/versions/\\d+/)?(.*)\\.class");
    private static final Pattern OURS = Pattern.compile("abs_audit_probe_\\w*/.*");
    /** JMH, and what looks at the layout of objects by reflection, calling what it names itself. */
    private static final Pattern HARNESS = Pattern.compile("org/openjdk/(jmh|jol)/.*");
    /** What may be extended by classes that the JDK itself finds and loads; only a compiler looks for processors. */
    private static final Pattern SERVICE =
        Pattern.compile("META-INF/services/(java|jdk|sun|com\\.sun)(?!x\\.annotation\\.processing\\.)[.$\\w]*");
    /** Starts other JVMs, whose code is followed no further. */
    private static final Pattern HARNESS_DOES =
        Pattern.compile("org/openjdk/(jol|jmh/(?!Main|runner/(Runner|options/))).*");
    /** Calls nothing that is not handed to it, but by interfaces; what else is in the JDK may load any class. */
    private static final Pattern HARMLESS = Pattern.compile("java/(lang|lang/(annotation|constant|ref)|math|io|nio"
        + "|nio/(charset|file)|security|text|time(/\\w+)?|util|util/concurrent(/\\w+)?"
        + "|util/(function|random|regex|stream|zip))/[^/]+");
    private static final Pattern DOUBTFUL = Pattern.compile("java/(lang/(Class|ClassLoader|Compiler|Module|ModuleLayer"
        + "|Process|ProcessBuilder|Runtime)|security/(Provider|Security)|util/(ResourceBundle|ServiceLoader))(\\$.*)?"
        + "\\..*|java/lang/System\\.(load|setPropert).*|java/io/ObjectInputStream\\.<init>.*");
    private static final Pattern HARMLESS_AFTER_ALL = Pattern.compile("java/lang/Class\\.(asSubclass|cast"
        + "|desiredAssertionStatus|equals|get(Annotation|CanonicalName|ClassLoader|ComponentType"
        + "|(Declared)?Constructors?|(Declared)?Fields?|EnumConstants|Modifiers|Name|Package|Resource|ResourceAsStream"
        + "|SimpleName|Superclass|TypeName)|hashCode|is\\w+|newInstance|toString)\\(.*"
        + "|java/lang/Runtime\\.(availableProcessors|freeMemory|gc|getRuntime|maxMemory|totalMemory)\\(.*"
        + "|java/lang/reflect/(Array|Modifier|AccessibleObject|InvocationTargetException)\\..*"
        + "|java/lang/reflect/Constructor\\.(canAccess|get(DeclaringClass|Modifiers|Parameter(Count|Types))|isVarArgs"
        + "|newInstance|setAccessible|trySetAccessible)\\(.*"
        + "|java/lang/reflect/Field\\.(get\\w*|is\\w+|set\\w*)\\(.*"
        + "|sun/misc/Unsafe\\.(ARRAY_\\w+|(allocate|copy|free|reallocate|set)Memory\\(|addressSize\\(|array\\w+\\("
        + "|(object|static)Field\\w+\\(|(get|put)(Boolean|Byte|Char|Double|Float|Int|Long|Short)\\().*"
        + "|java/util/logging/(Level|Logger\\.(getLogger\\(Ljava/lang/String;\\)"
        + "|(fine|info|isLoggable|log|severe|warning)\\()).*"
        + "|java/lang/invoke/(LambdaMetafactory|StringConcatFactory|VarHandle)\\..*"
        + "|java/lang/invoke/MethodHandle\\.(asType|bindTo|invoke\\w*)\\(.*"
        + "|java/lang/invoke/MethodHandles\\.(arrayElement\\w+|byte\\w+View\\w+|lookup|\\w+Lookup(In)?)\\(.*"
        + "|java/lang/invoke/MethodHandles\\$Lookup\\.(find\\w*(Getter|Setter|VarHandle)|in|lookupClass)\\(.*"
        + "|java/lang/invoke/MethodType\\.(genericMethodType|methodType)\\(.*|java/lang/runtime/ObjectMethods\\..*");
    /** Finds a method of a class that is at hand, by its name. */
    private static final Pattern NAMING =
        Pattern.compile("java/lang/invoke/MethodHandles\\$Lookup\\.find(Constructor|Special|Static|Virtual)\\(.*");
    private static final Pattern CONSTRUCTING =
        Pattern.compile("java/lang/(Class|reflect/Constructor)\\.newInstance\\(.*");
    /** What the JDK calls by its name, in writing objects down. */
    private static final List<String> ALWAYS = Arrays.asList(
        "writeObject(Ljava/io/ObjectOutputStream;)V", "writeReplace()Ljava/lang/Object;");

    /** By class, the files that may be loaded as it. */
    private final Map<String, List<Callable<InputStream>>> files = new HashMap<>();
    private final Map<String, List<ClassFile>> classes = new HashMap<>();
    private final Map<String, Set<String>> calledByOthers = new HashMap<>();
    /** By class of probes and number, the method. */
    private final Map<String, Map<String, String>> probes = new HashMap<>();
    /** Classes of the JDK whose heirs may have anything called. */
    private final Set<String> doubtful = new HashSet<>();
    /** Whether the JDK may find classes of the path by itself, or the harness itself has probes. */
    private boolean untold;
    /** Whether a folder or jar has probes, and whether it has classes in the packages of JMH. */
    private boolean probed;
    private boolean harness;

    private Reachability() {
    }

    public static void main(String[] arguments) throws Exception {
        Reachability path = new Reachability();
        Map<String, Optional<Set<String>>> told = new LinkedHashMap<>();
        long begun = System.nanoTime();
        for (String line : Files.readAllLines(Paths.get(arguments[0]), StandardCharsets.UTF_8)) {
            String[] words = line.split(" ", 2);
            if (words[0].equals("path")) {
                path = new Reachability();
                for (String entry : words[1].split(File.pathSeparator)) {
                    path.find(Paths.get(entry));
                }
            } else {
                String[] names = words[1].split(" ");
                boolean tells = System.nanoTime() - begun < PATIENCE_NS && !path.untold;
                Optional<Set<String>> methods =
                    tells ? path.new Search().methods(names[0].replace('.', '/')) : Optional.empty();
                // One that several modules have may call what it may call in any of them.
                told.merge(names[1], methods, (one, other) -> one.flatMap(known -> other.map(more -> {
                    known.addAll(more);
                    return known;
                })));
            }
        }
        List<String> records = new ArrayList<>();
        told.forEach((name, methods) -> methods.ifPresent(known -> records.add(
            "{\"record\": \"may call\", \"benchmark\": " + Driver.quoted(name) + ", \"methods\": "
            + known.stream().map(Driver::quoted).collect(Collectors.joining(", ", "[", "]}")))));
        Files.write(Paths.get(arguments[1]), records);
    }

    /** Finds all classes of a folder or a jar; what is not there holds none, for a JVM neither. */
    private void find(Path entry) throws IOException {
        probed = harness = false;
        if (Files.isDirectory(entry)) {
            try (Stream<Path> all = Files.walk(entry)) {
                for (Path file : all.filter(Files::isRegularFile).collect(Collectors.toList())) {
                    note(entry.relativize(file).toString().replace(File.separatorChar, '/'),
                        () -> Files.newInputStream(file));
                }
            }
        } else if (Files.exists(entry)) {
            ZipFile jar = new ZipFile(entry.toFile());
            jar.stream().forEach(file -> note(file.getName(), () -> jar.getInputStream(file)));
        }
        untold |= probed && harness;
    }

    private void note(String name, Callable<InputStream> file) {
        untold |= SERVICE.matcher(name).matches();
        probed |= OURS.matcher(name).matches();
        harness |= HARNESS.matcher(name).matches();
        Matcher named = CLASS.matcher(name);
        if (named.matches()) {
            files.computeIfAbsent(named.group(2), key -> new ArrayList<>()).add(file);
        }
    }

    private List<ClassFile> read(String name) {
        return classes.computeIfAbsent(name, key -> {
            List<ClassFile> read = new ArrayList<>();
            for (Callable<InputStream> file : files.get(key)) {
                try (InputStream in = file.call()) {
                    read.add(new ClassFile(in.readAllBytes()));
                } catch (Exception unreadable) {
                    throw new IllegalStateException("cannot read the class " + key, unreadable);
                }
            }
            return read;
        });
    }

    /** Whether code of a class is not followed: it calls others by what they inherit of it. */
    private boolean isOthers(String name) {
        return OURS.matcher(name).matches() || HARNESS.matcher(name).matches() || !files.containsKey(name);
    }

    /** Returns the methods that a class outside of the path may call in what inherits from it; null: it is unknown. */
    private Set<String> calledBy(String name) {
        if (!calledByOthers.containsKey(name)) {
            Set<String> called = new HashSet<>();
            calledByOthers.put(name, files.containsKey(name) ? ofHarness(name, called) : ofJdk(name, called));
        }
        return calledByOthers.get(name);
    }

    private Set<String> ofHarness(String name, Set<String> called) {
        for (ClassFile file : read(name)) {
            file.methods.forEach(method -> called.add(method.member));
            for (String above : file.above) {
                Set<String> more = calledBy(above);
                if (more == null) {
                    return null;
                }
                called.addAll(more);
            }
        }
        return called;
    }

    private Set<String> ofJdk(String name, Set<String> called) {
        try {
            List<Class<?>> types = new ArrayList<>();
            types.add(Class.forName(name.replace('/', '.'), false, ClassLoader.getPlatformClassLoader()));
            for (int at = 0; at < types.size(); at++) {
                Class<?> type = types.get(at);
                String other = type.getName().replace('.', '/');
                if (!isHarmless(other, other + ".")) {
                    doubtful.add(name);
                }
                for (Method method : type.getDeclaredMethods()) {
                    if ((method.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC)) == 0) {
                        called.add(method.getName() + java.lang.invoke.MethodType.methodType(
                            method.getReturnType(), method.getParameterTypes()).toMethodDescriptorString());
                    }
                }
                types.addAll(Arrays.asList(type.getInterfaces()));
                if (type.getSuperclass() != null) {
                    types.add(type.getSuperclass());
                }
            }
            return called;
        } catch (ClassNotFoundException absent) {
            // Nobody else may have such a class: what names it is for a later JDK, and ends in an error here.
            return name.startsWith("java/") ? called : null;
        } catch (LinkageError unknown) {
            return null;
        }
    }

    /** Tells whether a member of the JDK, JMH or a probe calls nothing but what is handed to it. */
    private static boolean isHarmless(String owner, String whole) {
        return OURS.matcher(owner).matches() || HARNESS_DOES.matcher(owner).matches()
            || HARMLESS_AFTER_ALL.matcher(whole).matches()
            || HARMLESS.matcher(owner).matches() && !DOUBTFUL.matcher(whole).matches();
    }

    /** Returns the methods of a class of probes by their numbers; its initialiser makes one after the other. */
    private Map<String, String> probed(String owner) {
        return probes.computeIfAbsent(owner, key -> {
            Map<String, String> methods = new HashMap<>();
            if (!files.containsKey(key)) {
                return methods;
            }
            for (ClassFile.Method method : read(key).get(0).methods) {
                if (method.member.startsWith("<clinit>")) {
                    Set<String> made = method.references.stream().filter(field -> field.member.startsWith("SITE"))
                        .map(field -> number(field.member)).collect(Collectors.toCollection(LinkedHashSet::new));
                    Iterator<String> texts = method.texts.iterator();
                    made.stream().filter(number -> texts.hasNext())
                        .forEach(number -> methods.put(number, texts.next()));
                }
            }
            return methods;
        });
    }

    private static String number(String member) {
        Matcher named = SITE.matcher(member);
        return named.matches() ? named.group(1) : "";
    }

    /** What one benchmark may come to. */
    private final class Search {
        /** Classes that objects may be of. */
        private final Set<String> live = new LinkedHashSet<>();
        private final Set<String> called = new HashSet<>(ALWAYS);
        private final Set<ClassFile.Method> reached = new HashSet<>();
        /** Names of methods that may be called whatever their types are. */
        private final Set<String> named = new HashSet<>();
        private final Set<String> methods = new TreeSet<>();
        private boolean constructing;
        /** Whether there may be a probe that nobody saw. */
        private boolean maybe;

        /** Returns the methods whose probes a class may lead to; empty: that is not known. */
        Optional<Set<String>> methods(String root) {
            if (isOthers(root)) {
                return Optional.empty();
            }
            meet(root);
            read(root).forEach(file -> file.methods.forEach(method -> called.add(method.member)));
            int before = -1;
            while (before != reached.size() + live.size() && !maybe) {
                before = reached.size() + live.size();
                for (String name : new ArrayList<>(live)) {
                    read(name).forEach(file -> file.methods.forEach(this::consider));
                }
            }
            return maybe ? Optional.empty() : Optional.of(methods);
        }

        private void consider(ClassFile.Method method) {
            boolean begins = method.member.startsWith("<clinit>")
                || constructing && method.member.startsWith("<init>");
            if ((begins || named.contains(method.name) || called.contains(method.member)) && reached.add(method)) {
                maybe |= method.isNative;
                method.references.forEach(reference -> follow(reference, method));
            }
        }

        private void follow(ClassFile.Reference reference, ClassFile.Method from) {
            if (reference.ofNumbers) {
                return;
            }
            if (SITES.matcher(reference.owner).matches()) {
                String method = probed(reference.owner).get(number(reference.member));
                if (method == null) {
                    maybe = true;
                } else {
                    methods.add(method);
                }
            }
            meet(reference.owner);
            if (!reference.member.isEmpty()) {
                called.add(reference.member);
                if (isOthers(reference.owner)) {
                    ask(reference.owner, reference.owner + "." + reference.member, from);
                }
            }
        }

        /** Notes whether a member of others may call what is not handed to it. */
        private void ask(String owner, String whole, ClassFile.Method method) {
            boolean naming = NAMING.matcher(whole).matches();
            if (naming && (method.isGiven(Class.class) || method.references.stream().anyMatch(
                    reference -> reference.member.isEmpty() && !isOthers(reference.owner)))) {
                named.addAll(method.texts);
                maybe |= method.isGiven(String.class);
            }
            constructing |= naming || CONSTRUCTING.matcher(whole).matches();
            maybe |= !naming && !isHarmless(owner, whole);
        }

        /** Takes a class for one that objects may be of; what it inherits from others, those may call. */
        private void meet(String name) {
            if (isOthers(name)) {
                maybe |= !OURS.matcher(name).matches() && calledBy(name) == null;
            } else if (live.add(name)) {
                for (ClassFile file : read(name)) {
                    for (String above : file.above) {
                        meet(above);
                        if (isOthers(above)) {
                            maybe |= doubtful.contains(above);
                            Set<String> more = calledBy(above);
                            called.addAll(more == null ? new HashSet<>() : more);
                        }
                    }
                }
            }
        }
    }
}
