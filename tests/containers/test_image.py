"""Images are built on others, by the user's word only, and a failure says what else there is."""

import pytest

from abs_audit.errors import UnfitEnvironmentError
from abs_audit.execution import image as images
from abs_audit.execution.confinement import Limits
from abs_audit.execution.container import ContainerExecutor, Engine
from abs_audit.model.experiment import Workspace
from tests.containers.conftest import command

NAME = "abs-audit-test:built"


def test_a_dockerfile_is_built_on_the_image_that_is_named(
    engine: Engine, image: str, place: Workspace
) -> None:
    built = engine.build(images.folder("python"), NAME, {"BASE": image})
    try:
        executor = ContainerExecutor(engine, NAME, Limits(cpus=(), memory=None))
        done = executor.execute(command(place, "python3", "-c", "print('here')"))
    finally:
        engine.client.images.remove(NAME, force=True)

    assert (built, "here\n") == (executor.image, done.output)


def test_a_base_that_cannot_be_had_is_answered_with_what_else_there_is(engine: Engine) -> None:
    with pytest.raises(UnfitEnvironmentError, match=rf"building the image {NAME}: .*--base.*--offline"):
        engine.build(images.folder("python"), NAME, {"BASE": "registry.invalid/none"})

    assert [] == engine.client.images.list(NAME)
