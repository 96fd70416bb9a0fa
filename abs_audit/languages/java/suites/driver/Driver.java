package abs_audit_driver_;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Has hosts execute the steps of a plan one after the other, and appends one JSON line for each to a result
 * file at once.
 *
 * <p>A plan is text. {@code host ARCHIVE JARS} begins the command line of a host, {@code arg TEXT} lines up to
 * {@code end}; it executes the steps that follow. ARCHIVE is the begin of a file's name, for what its forks may
 * share of the JARS that its class path begins with. {@code step KEY LIMIT_S FOLDER} begins a step, with
 * {@code set NAME=VALUE} lines for the probe and {@code arg TEXT} lines for JMH, up to {@code end}; with a line
 * {@code together} the host itself executes the benchmark, and then others of the kind, until one of them fails or
 * comes to a probe. All but LIMIT_S is in Base64.
 * A step finds its folder empty, and leaves its result in {@code result.json}, its tally in {@code tally.*} and
 * what was seen of its stack in {@code stacks}.
 */
public final class Driver {
    private static final int LOG_BYTES = 1 << 20;
    private static final int END_S = 5;
    private static final Pattern CALLED = Pattern.compile("calls\\W+[1-9]");

    private Driver() {
    }

    public static void main(String[] arguments) throws Exception {
        Path results = Paths.get(arguments[1]);
        Path folder = Paths.get(arguments[1] + ".host");
        Host host = null;
        try (BufferedReader plan = Files.newBufferedReader(Paths.get(arguments[0]))) {
            String line;
            while ((line = plan.readLine()) != null) {
                List<String> lines = new ArrayList<>();
                for (String next = plan.readLine(); !next.equals("end"); next = plan.readLine()) {
                    lines.add(next);
                }
                if (line.startsWith("host ")) {
                    end(host);
                    String[] words = line.split(" ", -1);
                    Archive archive = new Archive(decoded(words[1]), decoded(words[2]), folder.resolve("classes"));
                    host = new Host(folder, archive, decoded(lines, "arg "));
                } else {
                    String record = new Step(line, lines).execute(host);
                    Files.write(results, (record + "\n").getBytes(StandardCharsets.UTF_8),
                            StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                }
            }
        } finally {
            end(host);
        }
        emptied(folder);
        Files.delete(folder);
    }

    private static void end(Host host) throws IOException, InterruptedException {
        if (host != null) {
            host.end();
        }
    }

    private static List<String> decoded(List<String> lines, String kind) {
        return lines.stream().filter(one -> one.startsWith(kind))
                .map(one -> decoded(one.substring(kind.length()))).collect(Collectors.toList());
    }

    private static String decoded(String text) {
        return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The process that starts the forks; the next step starts it again where the last one ended it. */
    private static final class Host {
        private final Path temporary;
        private final Path settings;
        private final Archive archive;
        private final List<String> command;
        private boolean together;
        private Process process;
        private BlockingQueue<String> answers;

        Host(Path folder, Archive archive, List<String> command) {
            this.archive = archive;
            temporary = folder.resolve("tmp");
            settings = folder.resolve("settings");
            this.command = new ArrayList<>(command);
            // The forks inherit it, as they do all options of the host.
            this.command.add(1, "-Djava.io.tmpdir=" + temporary);
        }

        /** Executes what JMH is asked for; returns the exit code, null where the limit came first. */
        Integer execute(Properties probe, Path log, List<String> arguments, double limitS)
                throws IOException, InterruptedException {
            emptied(temporary);
            try (OutputStream stream = Files.newOutputStream(settings)) {
                probe.store(stream, null);
            }
            if (process == null) {
                start(log);
            }
            String asked = Stream.concat(Stream.of(log.toString()), arguments.stream()).map(Driver::encoded)
                    .collect(Collectors.joining(" ", "", "\n"));
            process.getOutputStream().write(asked.getBytes(StandardCharsets.US_ASCII));
            process.getOutputStream().flush();
            String answer = answers.poll((long) (limitS * 1000), TimeUnit.MILLISECONDS);
            if ("done".equals(answer)) {
                // What a fork leaves behind would disturb the next one.
                process.descendants().collect(Collectors.toList()).forEach(ProcessHandle::destroyForcibly);
                return 0;
            }
            Process ended = process;
            if (answer == null) {
                kill();
            }
            end();
            return answer == null ? null : ended.exitValue();
        }

        /** Has a fresh process where the one of before executed benchmarks itself, or the next one is to. */
        void serve(boolean together) throws IOException, InterruptedException {
            if (together != this.together) {
                end();
            }
            this.together = together;
        }

        /** Starts the process; what it says before JMH has a log of its own goes to that of the first step. */
        private void start(Path log) throws IOException {
            List<String> complete = new ArrayList<>(command);
            complete.addAll(1, archive.options());
            ProcessBuilder builder = new ProcessBuilder(complete);
            builder.environment().put("ABS_PROBE_SETTINGS", settings.toString());
            builder.redirectError(log.toFile());
            process = builder.start();
            BlockingQueue<String> heard = new LinkedBlockingQueue<>();
            BufferedReader reader = new BufferedReader(
                    new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
            answers = heard;
            Thread listener = new Thread(() -> {
                reader.lines().forEach(heard::add);
                heard.add("ended");
            });
            listener.setDaemon(true);
            listener.start();
        }

        /** Lets the process end by itself, and kills what it leaves behind. */
        void end() throws IOException, InterruptedException {
            if (process != null) {
                process.getOutputStream().close();
                process.waitFor(END_S, TimeUnit.SECONDS);
                kill();
                process = null;
                archive.make(command.subList(0, command.indexOf("-cp")));
            }
        }

        private void kill() throws InterruptedException {
            List<ProcessHandle> rest = process.descendants().collect(Collectors.toList());
            process.destroyForcibly();
            process.waitFor();
            rest.forEach(ProcessHandle::destroyForcibly);
        }
    }

    /** One command line of JMH. */
    private static final class Step {
        private final String key;
        private final double limitS;
        private final Path folder;
        private final Properties probe = new Properties();
        private final List<String> arguments;
        private final boolean together;

        Step(String line, List<String> lines) {
            String[] words = line.split(" ");
            key = decoded(words[1]);
            limitS = Double.parseDouble(words[2]);
            folder = Paths.get(decoded(words[3]));
            arguments = decoded(lines, "arg ");
            together = lines.contains("together");
            for (String one : decoded(lines, "set ")) {
                int equals = one.indexOf('=');
                probe.setProperty(one.substring(0, equals), one.substring(equals + 1));
            }
        }

        String execute(Host host) throws IOException, InterruptedException {
            emptied(folder);
            Path log = folder.resolve("log");
            Files.createFile(log);
            host.serve(together);
            long begun = System.nanoTime();
            Integer exit = host.execute(probe, log, arguments, limitS);
            String record = record(exit, (System.nanoTime() - begun) / 1e9, log);
            if (together && CALLED.matcher(record).find()) {
                host.end(); // what it remembers of this one is no business of the next
            }
            emptied(folder);
            return record;
        }

        private String record(Integer exit, double wallS, Path log) throws IOException {
            List<String> tallies = new ArrayList<>();
            boolean unfinished = false;
            try (Stream<Path> files = Files.list(folder)) {
                for (Path path : files.sorted().collect(Collectors.toList())) {
                    String name = path.getFileName().toString();
                    if (name.startsWith("tally.") && name.endsWith(".json")) {
                        tallies.add(quoted(text(path)));
                    }
                    unfinished |= name.startsWith("tally.") && name.endsWith(".unfinished");
                }
            }
            Path result = folder.resolve("result.json");
            Path stacks = folder.resolve("stacks");
            return "{\"record\": \"step\", \"key\": " + quoted(key) + ", \"exit\": " + (exit == null ? -1 : exit)
                    + ", \"timed_out\": " + (exit == null) + ", \"limit_s\": " + limitS + ", \"wall_s\": " + wallS
                    + ", \"result\": " + (Files.exists(result) ? quoted(text(result)) : "null")
                    + ", \"stacks\": " + (Files.exists(stacks) ? quoted(text(stacks)) : "null")
                    + ", \"tallies\": [" + String.join(", ", tallies) + "], \"unfinished\": " + unfinished
                    + ", \"log\": " + quoted(tail(log)) + "}";
        }
    }

    private static void emptied(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                files.sorted(Comparator.reverseOrder()).filter(one -> !one.equals(folder)).map(Path::toFile)
                        .forEach(File::delete);
            }
        }
        Files.createDirectories(folder);
    }

    private static String text(Path path) throws IOException {
        return new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
    }

    private static String tail(Path path) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            byte[] bytes = new byte[(int) Math.min(LOG_BYTES, file.length())];
            file.seek(file.length() - bytes.length);
            file.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    static String quoted(String text) {
        StringBuilder result = new StringBuilder("\"");
        for (char one : text.toCharArray()) {
            if (one == '"' || one == '\\') {
                result.append('\\').append(one);
            } else if (one < ' ' || Character.isSurrogate(one)) {
                result.append(String.format("\\u%04x", (int) one));
            } else {
                result.append(one);
            }
        }
        return result.append('"').toString();
    }
}
