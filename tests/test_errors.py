"""What is said to people holds no password."""

import pytest

from abs_audit.errors import without_passwords


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("clone of https://me:s3cret@host/x.git failed", "clone of https://***@host/x.git failed"),
        ("https://token@host/x and ssh://a:b@h/y", "https://***@host/x and ssh://***@h/y"),
        ("git@host:x.git and https://host/x@2", "git@host:x.git and https://host/x@2"),
    ],
)
def test_names_and_passwords_of_urls_are_left_out(text: str, shown: str) -> None:
    assert shown == without_passwords(text)
