"""Maven as it was found or, once a plugin refuses that, a newer one."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from abs_audit.interfaces import BuildSettings
from abs_audit.languages.java.toolchain.jdk import ELSEWHERE
from abs_audit.languages.java.toolchain.maven import QUICKLY, SCRIPT, SWITCHED_OFF, MavenEnvironment
from abs_audit.model.experiment import Workspace

REFUSING = """#!/bin/sh
echo "found: $*" >> "${0%/*}/calls"
if [ -e .mvn/maven.config ]; then echo '[ERROR] SAYS' && exit 1; fi
case "$*" in
*dependency-plugin*)
    mkdir '${project.basedir}' || exit 1 # the plugin's marks, where it is called
    for word in "$@"; do case $word in -DoutputDirectory=*) out=${word#-DoutputDirectory=} ;; esac; done
    mkdir -p "$out/apache-maven-3.9.11/bin"
    printf '#!/bin/sh\\necho "newer: $*" >> calls\\nexit 7\\n' > "$out/apache-maven-3.9.11/bin/mvn"
    chmod +x "$out/apache-maven-3.9.11/bin/mvn"
    ;;
*)
    echo '[ERROR] SAYS' && exit 1
    ;;
esac
"""


class Project:
    """A folder with an `mvn` that refuses every build in the same words."""

    def __init__(self, folder: Path, says: str) -> None:
        self.folder = folder
        self._maven = folder / "mvn"
        self._maven.write_text(REFUSING.replace("SAYS", says))
        self._maven.chmod(0o755)

    def build(self, *arguments: str) -> int:
        kept, mark = str(self.folder / "kept"), str(self.folder / "mark")
        command: Sequence[str] = ("sh", str(SCRIPT), kept, mark, str(self._maven), *arguments)
        return subprocess.run(command, cwd=self.folder, check=False).returncode

    @property
    def calls(self) -> list[str]:
        """Which Maven was called for what, its fetching shortened."""
        lines = (self.folder / "calls").read_text().splitlines()
        return ["fetched" if "dependency-plugin" in line else line for line in lines]


REFUSALS = (
    "The plugin org.example:checker:1 requires Maven version 3.9",
    "Rule 0: RequireMavenVersion failed: Detected Maven Version: 3.8.7 is not in the allowed range [3.9.0,).",
    "The specified user settings file does not exist: /copy/${session.rootDirectory}/.mvn/settings.xml",
)


@pytest.fixture(params=REFUSALS)
def outdated(tmp_path: Path, request: pytest.FixtureRequest) -> Project:
    return Project(tmp_path, says=request.param)


def test_a_newer_maven_builds_what_refuses_the_found_one(outdated: Project) -> None:
    assert 7 == outdated.build("package")
    assert ["found: package", "fetched", "newer: package"] == outdated.calls


def test_of_what_refused_nothing_is_told_where_a_newer_one_fails(
    outdated: Project, capfd: pytest.CaptureFixture[str]
) -> None:
    """commons-io's own profile for benchmarks does not compile; a plugin's wish for Maven 3.9 was told."""
    assert 7 == outdated.build("package")
    assert "" == capfd.readouterr().out


def test_it_is_fetched_where_the_projects_own_options_are_not_read(outdated: Project) -> None:
    own = outdated.folder / ".mvn"
    own.mkdir()
    (own / "maven.config").write_text("-s\n${session.rootDirectory}/.mvn/settings.xml\n")
    assert 7 == outdated.build("package")


def test_the_newer_one_is_taken_at_once_from_then_on(outdated: Project) -> None:
    outdated.build("package")
    assert 7 == outdated.build("package", "--offline")
    assert "newer: package --offline" == outdated.calls[-1]
    assert 4 == len(outdated.calls)


def test_it_is_fetched_again_where_it_was_removed(outdated: Project) -> None:
    outdated.build("package")
    shutil.rmtree(outdated.folder / "kept")
    assert 7 == outdated.build("package")
    assert ["found: package", "fetched", "newer: package"] == outdated.calls[3:]


def test_nothing_is_fetched_without_network(outdated: Project) -> None:
    assert 1 == outdated.build("package", "--offline")
    assert ["found: package --offline"] == outdated.calls


def test_any_other_failure_is_the_projects_own(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    broken = Project(tmp_path, says="class A does not compile")
    assert 1 == broken.build("package")
    assert ["found: package"] == broken.calls
    assert "class A does not compile" in capfd.readouterr().out


def test_no_build_asks_for_the_repository_that_a_copy_has_not_nor_for_lists_of_licences() -> None:
    """commons-statistics fetched those from spdx.org, for a list that nobody measures."""
    assert {"maven.gitcommitid", "spdx"} <= {*SWITCHED_OFF.split()}


def in_image(folder: Path) -> MavenEnvironment:
    settings = BuildSettings(interpreter=None, requirements=(), paths=(), environment={}, image="jdk")
    return MavenEnvironment(workspace=Workspace(root=folder), settings=settings)


def test_no_check_of_a_projects_looks_is_left_on(tmp_path: Path) -> None:
    """The copy's pom.xml is not as the project wrote it: sortpom refused it under airlift's parent."""
    command = in_image(tmp_path).maven(tmp_path, (), "x")
    assert "-Dsortpom.skip=true" in command.argv


@pytest.mark.parametrize("parent", ["air", "basepom"])
def test_what_lists_the_class_path_is_not_skipped_with_a_parents_checks(tmp_path: Path, parent: str) -> None:
    """With its checks each of them skips all of Maven's dependency plugin: slice had no class path."""
    command = in_image(tmp_path).maven(tmp_path, (), "x")
    switches = ("skip-all=true", "skip-dependency=false", "fail-dependency=false")
    assert {f"-D{parent}.check.{switch}" for switch in switches} <= set(command.argv)


def test_no_jar_of_the_build_before_is_taken_for_a_fresh_one(tmp_path: Path) -> None:
    """What inlines other jars into jdbi's core found them there already, and refused."""
    assert "-Dmaven.jar.forceCreation=true" in in_image(tmp_path).maven(tmp_path, (), "x").argv


def test_what_jmh_generated_is_not_compiled_again_by_old_plugins(tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    generated = folder / "target" / "generated-sources" / "annotations" / "a" / "jmh_generated"
    classes = folder / "target" / "classes" / "a" / "jmh_generated"
    for made in (generated, classes):
        made.mkdir(parents=True)
    (folder / "pom.xml").write_text(
        "<project><artifactId>a</artifactId><dependencies><dependency>"
        "<groupId>org.openjdk.jmh</groupId><artifactId>jmh-core</artifactId><version>1.37</version>"
        "</dependency></dependencies></project>"
    )
    settings = BuildSettings(interpreter=None, requirements=(), paths=(), environment={}, image="jdk")
    list(MavenEnvironment(workspace=Workspace(root=tmp_path), settings=settings).building())
    assert (False, True) == (generated.exists(), classes.exists())


def test_a_build_that_fails_says_which_jdk_the_project_asks_for(tmp_path: Path) -> None:
    home, root = tmp_path / "jdk", tmp_path / "kept" / "workspaces" / "w"
    (home / "bin").mkdir(parents=True)
    (root / "tree").mkdir(parents=True)
    for name in ("java", "javac"):
        (home / "bin" / name).write_text("")
        (home / "bin" / name).chmod(0o755)
    (home / "release").write_text('JAVA_VERSION="17.0.1"')
    advice = []
    for level in (17, 99):
        properties = f"<properties><java.version>{level}</java.version></properties>"
        (root / "tree" / "pom.xml").write_text(f"<project>{properties}</project>")
        settings = BuildSettings(
            interpreter=str(home / "bin" / "java"), requirements=(), paths=(), environment={}
        )
        _, fetching, _, _ = MavenEnvironment(workspace=Workspace(root=root), settings=settings).building()
        advice.append(fetching.advice)
    assert ELSEWHERE == advice[0]
    assert advice[1].startswith("it asks for Java 99, and ")
    # A package may be missing just as well.
    assert advice[1].endswith(f"\n{ELSEWHERE}")


@pytest.mark.parametrize(
    ("is_there", "maven", "ran", "said"),
    [(True, "exit 1", False, ""), (False, "exit 0", True, ""), (False, "exit 1", True, "no stack profiler")],
    ids=["it is there", "it is fetched", "it cannot be had"],
)
def test_the_stack_profiler_is_fetched_once_and_no_build_fails_without_it(
    tmp_path: Path, is_there: bool, maven: str, ran: bool, said: str
) -> None:
    environment = MavenEnvironment(
        workspace=Workspace(root=tmp_path / "kept" / "workspaces" / "w"),
        settings=BuildSettings(interpreter=None, requirements=(), paths=(), environment={}),
    )
    shell, option, script, jar, *_ = environment.profiling().argv
    assert jar.endswith("kept/maven/tools/profiler/async-profiler/4.2/async-profiler-4.2.jar")
    profiler = tmp_path / "profiler.jar"
    if is_there:
        profiler.touch()
    fake = ("sh", "-c", f': > "{tmp_path}/ran"; {maven}')
    done = subprocess.run(
        [shell, option, script, profiler, *fake], capture_output=True, text=True, check=True
    )
    assert (ran, True) == ((tmp_path / "ran").exists(), said in done.stderr)


@pytest.mark.parametrize(("own", "expected"), [({}, QUICKLY), ({"MAVEN_OPTS": "-Xmx2g"}, "-Xmx2g")])
def test_mavens_own_code_is_compiled_quickly_unless_the_user_says_otherwise(
    tmp_path: Path, own: dict[str, str], expected: str
) -> None:
    settings = BuildSettings(interpreter=None, requirements=(), paths=(), environment=own, image="jdk")
    variables = MavenEnvironment(workspace=Workspace(root=tmp_path), settings=settings).environment()
    assert expected == variables["MAVEN_OPTS"]


def test_what_writes_to_its_home_has_one_of_its_own_with_the_users_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Java asks the system where home is, whatever HOME says: extensions could not make folders there."""
    own, place = tmp_path / "own", Workspace(root=tmp_path / "kept" / "workspaces" / "w")
    (own / ".m2").mkdir(parents=True)
    (own / ".m2" / "settings.xml").write_text("<settings/>")
    place.tree.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(own))
    settings = BuildSettings(interpreter=None, requirements=(), paths=(), environment={})
    command = MavenEnvironment(workspace=place, settings=settings).maven(place.tree, ["package"], "a build")
    told = subprocess.run(
        ["java", "-XshowSettings:properties", "-version"],
        env={**os.environ, **command.env},
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    assert f"user.home = {place.home}\n" in told
    assert str(place.home) == command.env["HOME"]
    assert (place.home / ".m2" / "settings.xml").samefile(own / ".m2" / "settings.xml")
    assert not (place.home / ".mavenrc").exists()
