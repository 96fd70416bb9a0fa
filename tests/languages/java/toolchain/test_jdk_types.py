"""The list of the JDK's types is what its generator makes of it and of the JDK at hand."""

import subprocess
from pathlib import Path

from abs_audit.languages.java.toolchain.jdk import java_home

TOOLCHAIN = Path(__file__).parents[4] / "abs_audit" / "languages" / "java" / "toolchain"


def test_every_public_type_of_this_jdk_is_listed(tmp_path: Path) -> None:
    listed = TOOLCHAIN / "jdk_types.txt"
    command = [str(java_home(None) / "bin" / "java"), str(TOOLCHAIN / "JdkTypes.java")]
    run = subprocess.run([*command, str(listed)], capture_output=True, text=True, check=True)
    assert listed.read_text() == run.stdout
    shorter = tmp_path / "types.txt"
    text = listed.read_text()
    shorter.write_text(text.replace("\nArrayList\n", "\n", 1))
    assert text.count("\nArrayList\n") == 1
    made = subprocess.run([*command, str(shorter)], capture_output=True, text=True, check=True)
    assert text == made.stdout
