package abs_audit_driver_;

import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Executes what a command line of JMH asks for, with the values of parameters as they are.
 *
 * <p>JMH itself takes a value with commas for several, and executes a benchmark for each.
 */
public final class Chosen {
    private Chosen() {
    }

    public static void main(String[] arguments) throws Exception {
        List<String> others = new ArrayList<>();
        List<String[]> values = new ArrayList<>();
        for (int at = 0; at < arguments.length; at++) {
            if (arguments[at].equals("-p")) {
                values.add(arguments[++at].split("=", 2));
            } else {
                others.add(arguments[at]);
            }
        }
        ChainedOptionsBuilder options =
            new OptionsBuilder().parent(new CommandLineOptions(others.toArray(new String[0])));
        for (String[] value : values) {
            options.param(value[0], value[1]);
        }
        try {
            new Runner(options.build()).run();
        } catch (RunnerException error) {
            error.printStackTrace();
            System.exit(1);
        }
    }
}
