"""Which addresses may be asked, and that none of what they hide is repeated."""

import pytest

from bot.errors import NotConnectedError, PersonMovesNext
from bot.model.address import server_address
from bot.nouns import Deployment


def at(base_url: str | None) -> Deployment:
    """A deployment that answers there."""
    return Deployment(name="prod", base_url=base_url)


@pytest.mark.parametrize(
    ("base_url", "root", "place"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000", "127.0.0.1:8000"),
        ("http://localhost:8000/v1", "http://localhost:8000", "localhost:8000"),
        ("http://[::1]:8000/v1/", "http://[::1]:8000", "[::1]:8000"),
        ("http://127.8.8.8", "http://127.8.8.8:80", "127.8.8.8:80"),
        ("https://gemma.example.com/team/v1", "https://gemma.example.com:443/team", "gemma.example.com:443"),
        ("https://10.0.0.7:8443/", "https://10.0.0.7:8443", "10.0.0.7:8443"),
    ],
)
def test_addresses_as_people_write_them(base_url: str, root: str, place: str) -> None:
    address = server_address(at(base_url))
    assert (address.root, address.place) == (root, place)
    assert address.tls is base_url.startswith("https")


@pytest.mark.parametrize(
    "base_url",
    [
        "http://10.0.0.7:8000",
        "http://gemma.example.com",
        "http://localhost.example.com",
        "http://127.0.0.1.example.com",
        "http://[::ffff:10.0.0.7]:8000",
        "http://0.0.0.0:8000",
        "http://metadata.google.internal",
    ],
)
def test_plain_http_leaves_this_machine_only_where_it_was_allowed_by_name(base_url: str) -> None:
    with pytest.raises(PersonMovesNext, match="plain http"):
        server_address(at(base_url))
    with pytest.raises(PersonMovesNext, match="plain http"):
        server_address(at(base_url), allow_plain_http={"other.example.com"})


def test_a_host_that_was_allowed_by_name_may_be_asked_over_plain_http() -> None:
    assert server_address(at("http://10.0.0.7:8000"), allow_plain_http={"10.0.0.7"}).root == "http://10.0.0.7:8000"


@pytest.mark.parametrize(
    "base_url",
    [
        "http://ops:hunter2@127.0.0.1:8000",
        "https://hunter2@gemma.example.com",
        "https://gemma.example.com/?key=hunter2",
        "https://gemma.example.com/#hunter2",
    ],
)
def test_a_secret_inside_an_address_is_refused_and_not_repeated(base_url: str) -> None:
    with pytest.raises(PersonMovesNext) as raised:
        server_address(at(base_url))
    assert "hunter2" not in repr(raised.value.telling)


@pytest.mark.parametrize(
    "base_url",
    ["gemma", "127.0.0.1:8000", "ftp://127.0.0.1", "file:///etc/passwd", "http://", "http://[::1", "http://127.0.0.1:99999",
     "http://127.0.0.1:eight", "http://127.0.0.1\r\nx: y", "http://127.0.0.1 .evil.com", "http://127.0.0.1\\@evil.com", "http://gémma"],
)  # fmt: skip
def test_what_is_no_address_is_refused(base_url: str) -> None:
    with pytest.raises(PersonMovesNext, match="is not one"):
        server_address(at(base_url))


def test_no_address_is_a_source_that_is_not_connected() -> None:
    with pytest.raises(NotConnectedError, match="not connected, set MODEL_BASE_URL"):
        server_address(at(None))
