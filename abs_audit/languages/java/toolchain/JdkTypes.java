import java.lang.module.ModuleDescriptor;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Prints {@code jdk_types.txt}: what the file given as the argument holds, and the public types that
 * this JDK has in the packages which it lists.
 *
 * <p>Started as {@code java JdkTypes.java jdk_types.txt > new}, by each JDK whose types are to be known.
 */
public final class JdkTypes {
    private static final String TITLE = "# Public types of the JDK (17 and 25 together), by package."
            + " After a type: its member types and those it inherits.";

    private JdkTypes() {
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, Map<String, Map<String, String>>> packages = new TreeMap<>();
        String current = "";
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            String[] words = line.split(" ");
            if (words[0].equals("package")) {
                current = words[1];
                packages.put(current, new TreeMap<>());
            } else if (!words[0].equals("#")) {
                Map<String, String> members = type(packages, current, words[0]);
                for (String member : List.of(words).subList(1, words.length)) {
                    String[] parts = member.split("=");
                    members.put(parts[0], parts.length > 1 ? parts[1] : current + "." + words[0] + "$" + parts[0]);
                }
            }
        }
        for (Module module : ModuleLayer.boot().modules()) {
            for (ModuleDescriptor.Exports exported : module.getDescriptor().exports()) {
                if (!exported.isQualified() && packages.containsKey(exported.source())) {
                    add(packages, module, exported.source());
                }
            }
        }
        System.out.println(TITLE);
        packages.forEach((name, types) -> {
            System.out.println("package " + name);
            types.forEach((type, members) -> System.out.println(Stream.concat(Stream.of(type),
                    members.entrySet().stream().map(member -> member.getValue().equals(
                            name + "." + type + "$" + member.getKey()) ? member.getKey()
                            : member.getKey() + "=" + member.getValue())).collect(Collectors.joining(" "))));
        });
    }

    private static Map<String, String> type(
            Map<String, Map<String, Map<String, String>>> packages, String name, String type) {
        return packages.computeIfAbsent(name, key -> new TreeMap<>()).computeIfAbsent(type, key -> new TreeMap<>());
    }

    private static void add(
            Map<String, Map<String, Map<String, String>>> packages, Module module, String name) throws Exception {
        Path folder = FileSystems.getFileSystem(URI.create("jrt:/"))
                .getPath("modules", module.getName(), name.replace('.', '/'));
        List<String> files;
        try (Stream<Path> listed = Files.list(folder)) {
            files = listed.map(path -> path.getFileName().toString()).collect(Collectors.toList());
        }
        for (String file : new TreeSet<>(files)) {
            if (file.endsWith(".class") && !file.contains("$") && !file.contains("-")) {
                String simple = file.substring(0, file.length() - ".class".length());
                Class<?> found = Class.forName(module, name + "." + simple);
                if (found != null && Modifier.isPublic(found.getModifiers())) {
                    Map<String, String> members = type(packages, name, simple);
                    for (Class<?> member : found.getClasses()) {
                        members.putIfAbsent(member.getSimpleName(), member.getName());
                    }
                }
            }
        }
    }
}
