package abs_audit_driver_;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** What the file of a class says of its methods: what each refers to. */
final class ClassFile {
    private static final int NATIVE = 0x100;

    /** A field or method that code refers to, or with no name a class. Names are the JVM's, with slashes. */
    static final class Reference {
        final String owner;
        /** Name and descriptor; empty for a class. */
        final String member;
        /** Whether the owner is an array of numbers. */
        final boolean ofNumbers;

        Reference(String owner, String member) {
            String element = owner.replaceFirst("^\\[+", "");
            boolean isArray = !owner.equals(element);
            ofNumbers = isArray && element.length() == 1;
            this.owner = isArray && !ofNumbers ? element.substring(1, element.length() - 1) : owner;
            this.member = member;
        }
    }

    /** A method with a body. */
    static final class Method {
        final String member;
        /** Without the descriptor. */
        final String name;
        final boolean isNative;
        final List<Reference> references = new ArrayList<>();
        final List<String> texts = new ArrayList<>();
        /** Types of what it has from elsewhere: what it is given, reads, makes, or has from what it calls. */
        private final List<String> given = new ArrayList<>();

        Method(String member, int access) {
            this.member = member;
            name = member.substring(0, member.indexOf('('));
            isNative = (access & NATIVE) != 0;
            given.add(member.substring(0, member.indexOf(')') + 1));
        }

        /** Tells whether it may know other things of a class of the JDK than those that stand in it. */
        boolean isGiven(Class<?> type) {
            String descriptor = "L" + type.getName().replace('.', '/') + ";";
            return given.stream().anyMatch(types -> types.contains(descriptor));
        }
    }

    final String name;
    /** The class that it extends, and the interfaces that it has. */
    final List<String> above = new ArrayList<>();
    final List<Method> methods = new ArrayList<>();
    private Object[] constants;
    private int[] tags;
    /** By number: what a bootstrap method of the file and its arguments refer to. */
    private final List<int[]> bootstraps = new ArrayList<>();

    ClassFile(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        in.skipBytes(8);
        constants = new Object[in.readUnsignedShort()];
        tags = new int[constants.length];
        for (int at = 1; at < constants.length; at++) {
            tags[at] = in.readUnsignedByte();
            constants[at] = constant(in, tags[at]);
            at += tags[at] == 5 || tags[at] == 6 ? 1 : 0;
        }
        in.skipBytes(2);
        name = className(in.readUnsignedShort());
        int extended = in.readUnsignedShort();
        if (extended != 0) {
            above.add(className(extended));
        }
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            above.add(className(in.readUnsignedShort()));
        }
        members(in, false);
        List<byte[]> bodies = members(in, true);
        attributes(in, "BootstrapMethods").forEach(this::readBootstraps);
        for (int at = 0; at < bodies.size(); at++) {
            if (bodies.get(at) != null) {
                readCode(bodies.get(at), methods.get(at));
            }
        }
        constants = null;
        tags = null;
    }

    private static Object constant(DataInputStream in, int tag) throws IOException {
        switch (tag) {
            case 1:
                return in.readUTF();
            case 3: case 4:
                return in.readInt();
            case 5: case 6:
                return in.readLong();
            case 7: case 8: case 16: case 19: case 20:
                return new int[] {in.readUnsignedShort()};
            case 9: case 10: case 11: case 12: case 17: case 18:
                return new int[] {in.readUnsignedShort(), in.readUnsignedShort()};
            case 15:
                return new int[] {in.readUnsignedByte(), in.readUnsignedShort()};
            default:
                throw new IOException("a constant of an unknown kind, " + tag);
        }
    }

    /** Reads fields or methods; returns the code of each method, null where it has none. */
    private List<byte[]> members(DataInputStream in, boolean kept) throws IOException {
        List<byte[]> bodies = new ArrayList<>();
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            int access = in.readUnsignedShort();
            String member = text(in.readUnsignedShort()) + text(in.readUnsignedShort());
            List<byte[]> code = attributes(in, "Code");
            if (kept) {
                methods.add(new Method(member, access));
                bodies.add(code.isEmpty() ? null : code.get(0));
            }
        }
        return bodies;
    }

    private List<byte[]> attributes(DataInputStream in, String wanted) throws IOException {
        List<byte[]> found = new ArrayList<>();
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            String attribute = text(in.readUnsignedShort());
            byte[] bytes = new byte[in.readInt()];
            in.readFully(bytes);
            if (attribute.equals(wanted)) {
                found.add(bytes);
            }
        }
        return found;
    }

    private void readBootstraps(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        for (int left = in.getChar(); left > 0; left--) {
            int method = in.getChar();
            int[] used = new int[in.getChar() + 1];
            used[0] = method;
            for (int at = 1; at < used.length; at++) {
                used[at] = in.getChar();
            }
            bootstraps.add(used);
        }
    }

    private void readCode(byte[] attribute, Method method) throws IOException {
        ByteBuffer code = ByteBuffer.wrap(attribute);
        int begin = 8;
        int end = begin + code.getInt(4);
        int at = begin;
        while (at < end) {
            int operation = code.get(at) & 0xff;
            if (operation == 18) {
                refer(code.get(at + 1) & 0xff, method);
            } else if (operation == 19 || operation == 20 || operation >= 178 && operation <= 187
                    || operation == 189 || operation == 192 || operation == 193 || operation == 197) {
                refer(code.getChar(at + 1), method);
                if (operation == 187 || operation == 192) {
                    method.given.add("L" + className(code.getChar(at + 1)) + ";");
                }
            }
            at += length(code, at, begin, operation);
        }
        if (at != end) {
            throw new IOException("code that does not end where it should");
        }
    }

    private static int length(ByteBuffer code, int at, int begin, int operation) {
        int operands = at + 4 - (at - begin) % 4;
        if (operation == 170) {
            return operands - at + 12 + 4 * (code.getInt(operands + 8) - code.getInt(operands + 4) + 1);
        }
        if (operation == 171) {
            return operands - at + 8 + 8 * code.getInt(operands + 4);
        }
        if (operation == 196) {
            return (code.get(at + 1) & 0xff) == 132 ? 6 : 4;
        }
        if (operation == 185 || operation == 186 || operation == 200 || operation == 201) {
            return 5;
        }
        if (operation == 197) {
            return 4;
        }
        if (operation == 16 || operation == 18 || operation >= 21 && operation <= 25
                || operation >= 54 && operation <= 58 || operation == 169 || operation == 188) {
            return 2;
        }
        boolean wide = operation == 17 || operation == 19 || operation == 20 || operation == 132
                || operation >= 153 && operation <= 168 || operation >= 178 && operation <= 187
                || operation == 189 || operation == 192 || operation == 193 || operation == 198 || operation == 199;
        return wide ? 3 : 1;
    }

    /** Adds what a constant refers to, directly or by a bootstrap method. */
    private void refer(int at, Method method) {
        int[] parts = constants[at] instanceof int[] ? (int[]) constants[at] : new int[0];
        switch (tags[at]) {
            case 7:
                method.references.add(new Reference(className(at), ""));
                break;
            case 8:
                method.texts.add(text(parts[0]));
                break;
            case 9: case 10: case 11:
                String owner = className(parts[0]);
                method.references.add(new Reference(owner, member(parts[1], owner, method)));
                break;
            case 15:
                refer(parts[1], method);
                break;
            case 17: case 18:
                member(parts[1], "", method);
                for (int used : bootstraps.get(parts[0])) {
                    refer(used, method);
                }
                break;
            default:
        }
    }

    /** Returns name and descriptor of what code refers to. */
    private String member(int at, String owner, Method method) {
        int[] named = (int[]) constants[at];
        String name = text(named[0]);
        String type = text(named[1]);
        // A number's own class is none that has methods.
        if (!name.equals("TYPE") || !owner.startsWith("java/lang/")) {
            method.given.add(type.substring(type.indexOf(')') + 1));
        }
        return name + type;
    }

    private String className(int at) {
        return text(((int[]) constants[at])[0]);
    }

    private String text(int at) {
        return (String) constants[at];
    }
}
