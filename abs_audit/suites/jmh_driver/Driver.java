import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
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
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Executes the steps of a plan one after the other, each as a process of its own, and appends one JSON line
 * for each to a result file at once.
 *
 * <p>A plan is text: {@code step KEY LIMIT_S FOLDER}, then {@code env NAME=VALUE} and {@code arg TEXT} lines,
 * then {@code end}; KEY, FOLDER and what follows env and arg are in Base64. A step's process finds its
 * folder empty and leaves its result in {@code result.json} and its tally in {@code tally.*}.
 */
public final class Driver {
    private static final int LOG_BYTES = 1 << 20;

    private Driver() {
    }

    public static void main(String[] arguments) throws Exception {
        Path results = Paths.get(arguments[1]);
        try (BufferedReader plan = Files.newBufferedReader(Paths.get(arguments[0]))) {
            String line;
            while ((line = plan.readLine()) != null) {
                Step step = new Step(line);
                while (!(line = plan.readLine()).equals("end")) {
                    String text = decoded(line.substring(4));
                    (line.startsWith("env ") ? step.variables : step.arguments).add(text);
                }
                Files.write(results, (step.execute() + "\n").getBytes(StandardCharsets.UTF_8),
                        StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            }
        }
    }

    private static String decoded(String text) {
        return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
    }

    /** One process to execute. */
    private static final class Step {
        final String key;
        final double limitS;
        final Path folder;
        final List<String> variables = new ArrayList<>();
        final List<String> arguments = new ArrayList<>();

        Step(String line) {
            String[] words = line.split(" ");
            key = decoded(words[1]);
            limitS = Double.parseDouble(words[2]);
            folder = Paths.get(decoded(words[3]));
        }

        String execute() throws IOException, InterruptedException {
            emptied(folder);
            Path log = folder.resolve("log");
            ProcessBuilder builder = new ProcessBuilder(arguments);
            for (String variable : variables) {
                int equals = variable.indexOf('=');
                builder.environment().put(variable.substring(0, equals), variable.substring(equals + 1));
            }
            builder.redirectErrorStream(true).redirectOutput(log.toFile());
            builder.redirectInput(new File("/dev/null"));
            long begun = System.nanoTime();
            Process process = builder.start();
            boolean timedOut = !process.waitFor((long) (limitS * 1000), TimeUnit.MILLISECONDS);
            // What a fork leaves behind would disturb the next one.
            List<ProcessHandle> rest = process.descendants().collect(Collectors.toList());
            if (timedOut) {
                process.destroyForcibly();
                process.waitFor();
            }
            rest.forEach(ProcessHandle::destroyForcibly);
            double wallS = (System.nanoTime() - begun) / 1e9;
            String record = record(process.exitValue(), timedOut, wallS, log);
            emptied(folder);
            return record;
        }

        private String record(int exit, boolean timedOut, double wallS, Path log) throws IOException {
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
            return "{\"record\": \"step\", \"key\": " + quoted(key) + ", \"exit\": " + exit
                    + ", \"timed_out\": " + timedOut + ", \"limit_s\": " + limitS + ", \"wall_s\": " + wallS
                    + ", \"result\": " + (Files.exists(result) ? quoted(text(result)) : "null")
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
        Files.createDirectories(folder.resolve("tmp"));
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

    private static String quoted(String text) {
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
