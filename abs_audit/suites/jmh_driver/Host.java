package abs_audit_driver_;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/**
 * Executes one command line of JMH after the other, so that only the forks that JMH starts begin anew.
 *
 * <p>Asked by a line of words in Base64, the name of a log and JMH's arguments, it answers {@code done}. JMH
 * ends the process where a benchmark fails: then there is no answer but its exit code.
 */
public final class Host {
    private Host() {
    }

    public static void main(String[] none) throws Exception {
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
            answers.println("done");
        }
    }

    private static void execute(String[] arguments) throws ReflectiveOperationException {
        try {
            Class<?> jmh = Class.forName("org.openjdk.jmh.Main");
            jmh.getMethod("main", String[].class).invoke(null, (Object) arguments);
        } catch (InvocationTargetException error) {
            error.getCause().printStackTrace();
            System.exit(1);
        }
    }
}
