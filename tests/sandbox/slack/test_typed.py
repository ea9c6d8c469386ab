from sandbox.slack import default_workspace
from sandbox.slack.typed import escaped, slash_text


def test_names_become_tokens_and_special_characters_entities() -> None:
    text = escaped("@gemma is @anna in #ops? a<b & c>d @nobody", default_workspace())
    assert text == "<@U0GEMMA> is <@U0ANNA> in <#C0OPS|ops>? a&lt;b &amp; c&gt;d @nobody"


def test_broadcasts_groups_and_links() -> None:
    text = escaped("@channel @tpu-ops see https://x.example/a", default_workspace())
    assert text == "<!channel> <!subteam^S0TPUOPS> see <https://x.example/a>"


def test_slash_text_carries_names_because_should_escape_is_on() -> None:
    assert slash_text("budget for @anna in #ops", default_workspace()) == "budget for <@U0ANNA|anna> in <#C0OPS|ops>"


def test_a_typed_token_does_nothing() -> None:
    assert escaped("<!channel>", default_workspace()) == "&lt;!channel&gt;"


def test_an_address_is_no_mention() -> None:
    assert escaped("write to a@anna.example", default_workspace()) == "write to a@anna.example"
