package abs_audit_driver_;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import javax.tools.ToolProvider;

/**
 * Executes one command line of JMH after the other, so that only the forks that JMH starts begin anew.
 *
 * <p>First it has profilers compiled against the JMH at hand, from the sources and into the folder that it is given,
 * the folder last, where nobody has yet. Asked by a line of words in Base64, the name of a log and JMH's arguments,
 * it answers {@code done}. JMH ends the process where a benchmark fails: then there is no answer but its exit
 * code. Of what it executes without a fork, it has the probes tell at once.
 */
public final class Host {
    private static final String PLACE = "abs_audit_driver_";

    private Host() {
    }

    public static void main(String[] arguments) throws Exception {
        int sources = arguments.length - 1;
        compile(Arrays.copyOf(arguments, sources), Paths.get(arguments[sources]));
        PrintStream answers = System.out;
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        System.setIn(new ByteArrayInputStream(new byte[0]));
        String line;
        while ((line = questions.readLine()) != null) {
            String[] words = line.split(" ");
            for (int at = 0; at < words.length; at++) {
                words[at] = new String(Base64.getDecoder().decode(words[at]), StandardCharsets.UTF_8);
            }
            try (PrintStream log = new PrintStream(new FileOutputStream(words[0], true), true, "UTF-8")) {
                System.setOut(log);
                System.setErr(log);
                execute(Arrays.copyOfRange(words, 1, words.length));
            }
            tell(Paths.get(words[0]));
            answers.println("done");
        }
    }

    private static void compile(String[] sources, Path folder) throws IOException {
        Path wanted = folder.resolve(PLACE);
        if (!Files.exists(wanted)) {
            Path made = Files.createTempDirectory(folder, "made");
            String[] options = {"-proc:none", "-cp", System.getProperty("java.class.path"), "-d", made.toString()};
            String[] asked = Arrays.copyOf(options, options.length + sources.length);
            System.arraycopy(sources, 0, asked, options.length, sources.length);
            if (ToolProvider.getSystemJavaCompiler().run(null, System.err, null, asked) != 0) {
                throw new IllegalStateException("expected a JMH that compiles with " + String.join(", ", sources));
            }
            try {
                Files.move(made.resolve(PLACE), wanted, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException error) {
                if (!Files.exists(wanted)) {
                    throw error; // Else another host, at work beside this one, was first.
                }
            }
        }
    }

    /** Writes beside a log what probes in this process tell, where they were told of no file. */
    private static void tell(Path log) throws Exception {
        int number = 0;
        for (Object tally : (Iterable<?>) Class.forName(PLACE + ".Turns").getField("TALLIES").get(null)) {
            String text = ((Callable<?>) tally).call().toString();
            Files.write(log.resolveSibling("tally." + number++ + ".json"), text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static boolean holdsComma(String[] arguments) {
        List<String> words = Arrays.asList(arguments);
        return IntStream.range(1, words.size())
            .anyMatch(at -> words.get(at - 1).equals("-p") && words.get(at).contains(","));
    }

    private static void execute(String[] arguments) throws ReflectiveOperationException {
        try {
            Class<?> jmh = Class.forName(holdsComma(arguments) ? PLACE + ".Chosen" : "org.openjdk.jmh.Main");
            jmh.getMethod("main", String[].class).invoke(null, (Object) arguments);
        } catch (InvocationTargetException error) {
            error.getCause().printStackTrace();
            System.exit(1);
        }
    }
}
