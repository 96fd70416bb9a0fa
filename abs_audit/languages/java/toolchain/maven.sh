#!/bin/sh
# maven.sh KEPT MARK MVN ARGUMENT… — Maven as it was found or, once a plugin refuses that, a newer one.
#   KEPT  the folder of what all projects have fetched
#   MARK  a file that says that this project needs the newer Maven
# Maven asks what a plugin requires before it looks at any option that would leave the plugin out, so no -D…skip
# helps; and the Maven of a distribution is often older than what a parent project of today asks for. Nor does one
# before 3.9 fill in where a project is, which .mvn/maven.config may name.
set -u
kept=$1 mark=$2 found=$3
shift 3
version=3.9.11
refusals='requires Maven version|Detected Maven Version: .* not in the allowed range|\$\{session\.(root|top)Directory\}'
newer=$kept/mavens/apache-maven-$version

# What is kept may have been removed meanwhile, but not the mark.
if [ -e "$mark" ] && [ -x "$newer/bin/mvn" ]; then exec "$newer/bin/mvn" "$@"; fi

said=$(mktemp)
trap 'rm -f "$said"' EXIT
"$found" "$@" > "$said"
status=$?

fetches() { case " $* " in *" --offline "*) return 1 ;; esac; }

unpacked() {
    if [ -x "$newer/bin/mvn" ]; then return; fi
    fresh=$kept/mavens/$$
    mkdir -p "$fresh"
    # In the project's folder its .mvn/maven.config, which may be what is refused, would be read for this, too.
    (cd "$fresh" && "$found" --batch-mode --quiet "-Dmaven.repo.local=$kept/maven" \
        org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack \
        "-Dartifact=org.apache.maven:apache-maven:$version:zip:bin" "-DoutputDirectory=$fresh") &&
        mv "$fresh/apache-maven-$version" "$kept/mavens/" 2>/dev/null
    rm -rf "$fresh"
    [ -x "$newer/bin/mvn" ] # which another project may have unpacked meanwhile
}

if [ "$status" -ne 0 ] && grep -Eq "$refusals" "$said" && fetches "$@" && unpacked; then
    : > "$mark"
    # The refusal, which is no error of the project's, is not told.
    "$newer/bin/mvn" "$@"
    exit
fi
cat "$said"
exit "$status"
