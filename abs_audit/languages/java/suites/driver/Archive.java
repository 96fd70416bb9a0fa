package abs_audit_driver_;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What every fork loads of JMH and the JDK, in the form of the JVM's class data sharing: forks that map it
 * start sooner by a tenth of a second, in a third of a second that they take to start.
 *
 * <p>The first host and its forks write down which classes they load; when they have ended, the archive is
 * made from that for all later ones. A JVM that it does not fit starts without it.
 */
final class Archive {
    // Whose `%p` in the name of a list, and whose lists of jars' classes, were tried.
    private static final double LEAST_VERSION = 17;
    private static final int LIMIT_S = 60;

    private final Path file;
    private final Path lists;
    private final String jars;

    /** The jars must be those that the class path of hosts and forks begins with: a JVM demands it. */
    Archive(String name, String jars, Path lists) {
        file = Paths.get(name + "-" + System.getProperty("java.vm.version") + ".jsa");
        this.jars = jars;
        this.lists = lists;
    }

    /** Returns the options of a host, which its forks inherit: to use the archive, or to help making it. */
    List<String> options() throws IOException {
        if (jars.isEmpty() || Double.parseDouble(System.getProperty("java.specification.version")) < LEAST_VERSION) {
            return Collections.emptyList();
        }
        if (Files.exists(file)) {
            // An empty one says that none can be made.
            return Files.size(file) == 0 ? Collections.emptyList()
                    : Collections.singletonList("-XX:SharedArchiveFile=" + file);
        }
        Files.createDirectories(lists);
        return Collections.singletonList("-XX:DumpLoadedClassList=" + lists.resolve("%p.list"));
    }

    /** Makes the archive if there is none and it is known what to put into it. */
    void make(List<String> hostOptions) throws IOException, InterruptedException {
        File[] named = Optional.ofNullable(lists.toFile().listFiles((folder, name) -> name.endsWith(".list")))
                .orElse(new File[0]);
        if (Files.exists(file) || named.length < 2) {
            return; // Without a fork's list there is nothing to share with forks.
        }
        Path list = lists.resolve("all");
        Files.write(list, classes(named), StandardCharsets.UTF_8);
        Path made = Files.createTempFile(file.getParent(), "made", ".jsa");
        Files.delete(made);
        Process process = new ProcessBuilder(Stream.concat(hostOptions.stream(), Stream.of("-Xshare:dump",
                "-XX:SharedClassListFile=" + list, "-XX:SharedArchiveFile=" + made, "-cp", jars))
                .collect(Collectors.toList()))
                .redirectErrorStream(true).redirectOutput(lists.resolve("log").toFile()).start();
        if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        if (process.exitValue() != 0 || !Files.exists(made)) {
            Files.deleteIfExists(made);
            Files.createFile(made);
        }
        Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Returns what any of the processes loaded; what only one of them knows of lambdas says nothing of others. */
    private static Set<String> classes(File[] lists) throws IOException {
        Set<String> found = new LinkedHashSet<>();
        Arrays.sort(lists);
        for (File list : lists) {
            try (Stream<String> lines = Files.lines(list.toPath())) {
                lines.filter(line -> !line.startsWith("#") && !line.startsWith("@") && !line.contains(" source:"))
                        .map(line -> line.split(" ")[0]).forEach(found::add);
            }
        }
        return found;
    }
}
