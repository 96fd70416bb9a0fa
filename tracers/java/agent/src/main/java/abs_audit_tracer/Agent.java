package abs_audit_tracer;

import static net.bytebuddy.matcher.ElementMatchers.isAbstract;
import static net.bytebuddy.matcher.ElementMatchers.isNative;
import static net.bytebuddy.matcher.ElementMatchers.isPublic;
import static net.bytebuddy.matcher.ElementMatchers.isSynthetic;
import static net.bytebuddy.matcher.ElementMatchers.not;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.utility.JavaModule;

/**
 * Has the public methods and constructors of a library report their callers.
 *
 * <p>ABS_AUDIT_PACKAGES names a file with the library's packages, one a line; ABS_AUDIT_DOWNSTREAM the
 * folder of the downstream project; ABS_AUDIT_RECORD the folder that takes what is counted.
 */
public final class Agent {
    private Agent() {
    }

    /** Called by the JVM before the program. */
    public static void premain(String arguments, Instrumentation instrumentation) throws IOException {
        String list = System.getenv("ABS_AUDIT_PACKAGES");
        if (list == null) {
            return;
        }
        Set<String> packages = new HashSet<>(Files.readAllLines(Paths.get(list)));
        Recorder.begin(packages, System.getenv("ABS_AUDIT_DOWNSTREAM"), System.getenv("ABS_AUDIT_RECORD"));
        new AgentBuilder.Default()
                .type((type, loader, module, redefined, domain) ->
                        loader != null && !type.isInterface() | type.isPublic()
                                && packages.contains(packageOf(type.getName()))
                                && !Recorder.isDownstream(domain))
                .transform((builder, type, loader, module, domain) -> {
                    readable(instrumentation, module);
                    return builder.visit(Advice.to(Entry.class)
                            .on(isPublic().and(not(isAbstract())).and(not(isNative())).and(not(isSynthetic()))));
                })
                .installOn(instrumentation);
    }

    private static String packageOf(String name) {
        int dot = name.lastIndexOf('.');
        return dot < 0 ? "" : name.substring(0, dot);
    }

    /** Lets a named module call the recorder, which lies on the class path. */
    private static void readable(Instrumentation instrumentation, JavaModule module) {
        if (module != null && module.isNamed()) {
            instrumentation.redefineModule((Module) module.unwrap(), Set.of(Recorder.class.getModule()),
                    Map.of(), Map.of(), Set.of(), Map.of());
        }
    }

    /** What is added to the beginning of a method. */
    static final class Entry {
        private Entry() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.Origin("#t\t#m\t#d") String method, @Advice.AllArguments Object[] arguments) {
            Recorder.called(method, arguments);
        }
    }
}
