"""Secrets of many kinds are hidden, ordinary text stays. All tokens here are made up, in pieces so that no scanner minds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.diagnosis.secrets import Kind, redact, redact_lines

ALNUM = "a1B2c3D4e5F6g7H8j9K0m1N2p3Q4r5S6t7U8v9W0x1Y2z3"
PEM = "-----BEGIN {0}PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7\n-----END {0}PRIVATE KEY-----"

SECRETS = {
    "Hugging Face token": "hf_" + ALNUM[:34],
    "Slack token": "xox" + "b-123456789012-1234567890123-" + ALNUM[:24],
    "Slack token of a user": "xox" + "p-123456789012-1234567890123-" + ALNUM[:24],
    "Slack token that rotates": "xoxe.xox" + "p-1-" + ALNUM[:40],
    "Slack app token": "xapp-" + "1-A012345-987654-" + ALNUM[:40],
    "Slack webhook address": "https://hooks.slack.com/" + "services/T00000000/B00000000/" + ALNUM[:24],
    "Google API key": "AIza" + ALNUM[:35],
    "Google access token": "ya29." + "a0" + ALNUM,
    "Google client secret": "GOCSPX-" + ALNUM[:28],
    "GitHub token": "ghp_" + ALNUM[:36],
    "GitHub fine-grained token": "github_pat_" + "11AAAAAAA0" + ALNUM,
    "GitLab token": "glpat-" + ALNUM[:20],
    "OpenAI key": "sk-" + "proj-" + ALNUM,
    "OpenAI old key": "sk-" + (ALNUM + ALNUM)[:48],
    "Anthropic key": "sk-" + "ant-api03-" + ALNUM,
    "Stripe key": "sk_" + "live_" + ALNUM[:24],
    "npm token": "npm_" + ALNUM[:36],
    "PyPI token": "pypi-" + "AgEIcHlwaS5vcmc" + ALNUM + ALNUM,
    "Docker Hub token": "dckr_pat_" + ALNUM[:27],
    "SendGrid key": "SG." + ALNUM[:22] + "." + ALNUM[:43],
    "AWS access key": "AKIA" + "IOSFODNN7EXAMPLE",
    "JWT": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + ALNUM[:43],
    "private key": PEM.format(""),
    "SSH private key": PEM.format("OPENSSH "),
    "RSA private key": PEM.format("RSA "),
}
ASSIGNED = [
    ("password=", "hunter2hunter2"),
    ("PGPASSWORD: ", "s3cretpw!"),
    ('"api_key": "', "0123abcd0123abcd"),
    ("export HF_TOKEN=", "abcdefghijkl1234"),
    ("client_secret => ", "q8w7e6r5t4y3"),
    ("aws_secret_access_key = ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("--api-key ", "my-very-own-key-77"),
    ("SLACK_SIGNING_SECRET=", "8f742231b10e8888abcd99yyyzzz85a5"),
    ("Authorization: Bearer ", "abc123def456ghi789"),
    ("authorization: Basic ", "dXNlcjpwYXNzd29yZA=="),
    ("curl -H 'X: 1' -H \"Authorization: Token ", "0123456789abcdef"),
    ("postgres://bot:", "pa55w0rd"),
    ("redis://:", "pa55w0rdpa55"),
]
INNOCENT = [
    "commit 9646330f1c2d3e4a5b6c7d8e9f0a1b2c3d4e5f6a fixed it",
    "image sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "request 123e4567-e89b-12d3-a456-426614174000 done",
    "max_tokens=4096 total_tokens: 1,151,744 GPU KV cache size: 1,151,744 tokens",
    "eos_token='<eos>' skip_special_tokens=False token=None password=None tokenizer='google/gemma-4-E2B-it'",
    "hf_config.text_config, hf_overrides={}, hf_hub and huggingface_hub",
    "the secret of a good night is a quiet pager; please reset your password: now",
    "skipping sk-learn and risk-management-of-the-old-kind, task-12345678901234567890",
    "http://10.0.0.7:8000/v1/models and mailto:anna@example.com and http://localhost:8000/a@b",
    "node-7f9c, blk_-1608999687919862906, cmpl-0000beef, gs://bucket/key",
    'vllm:prompt_tokens_total{engine="0"} 12.0',
    "no token was given; token required; api key: missing",
    "xoxo-hugs-and-kisses to all",
    "-----BEGIN CERTIFICATE-----",
    "ERROR 08-07 20:43:46 [core.py:1349] EngineCore failed to start.",
]


@pytest.mark.parametrize("name", SECRETS)
def test_each_kind_of_secret_is_hidden_wherever_it_stands(name: str) -> None:
    secret = SECRETS[name]
    for text in (secret, f"it is {secret}, keep it", f"KEY='{secret}'", f"<{secret}>", f'{{"k": "{secret}"}}'):
        redacted = redact(text)
        assert secret not in redacted.text
        assert secret.splitlines()[-1][-12:] not in redacted.text
        assert "[hidden: " in redacted.text
        assert redacted.found


@pytest.mark.parametrize(("before", "secret"), ASSIGNED)
def test_what_a_name_calls_a_secret_is_hidden(before: str, secret: str) -> None:
    host = "@db.example.com" if "://" in before else ""
    redacted = redact(f"run {before}{secret}{host} now")
    assert secret not in redacted.text
    assert redacted.found


@pytest.mark.parametrize("text", INNOCENT)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert redact(text) == redact(text)
    assert redact(text).text == text
    assert redact(text).found == ()


def test_the_author_gets_kind_hint_and_issuer() -> None:
    assert redact("my token: hf_" + ALNUM[:30] + "a1b2").found == (Kind("Hugging Face token", "hf_…a1b2", "Hugging Face"),)


def test_a_secret_is_hidden_where_it_stands_a_second_time_without_its_name() -> None:
    text = redact(
        "<https://bot:pa55w0rd@db.example.com|bot:pa55w0rd@db.example.com> and password=correcthorse9; again correcthorse9"
    ).text
    assert "pa55w0rd" not in text
    assert "correcthorse9" not in text


def test_a_password_that_is_a_plain_word_is_hidden_once_and_stays_hidden() -> None:
    once = redact("password=password token=password1 secret='password'").text
    assert once == "password=[hidden: password] token=[hidden: value of token] secret='[hidden: value of secret]'"
    assert redact(once).text == once


def test_a_short_password_is_not_hinted_at() -> None:
    assert [kind.hint for kind in redact("password=hunter2").found] == ["…"]


def test_an_aws_secret_is_found_beside_its_access_key_and_forty_characters_alone_are_not() -> None:
    secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    assert secret not in redact(f"{SECRETS['AWS access key']} {secret}").text
    assert redact(secret).text == secret


def test_a_service_account_key_with_written_out_line_breaks_is_hidden() -> None:
    pem = PEM.format("").replace("\n", "\\n")
    redacted = redact('{"type": "service_account", "private_key": "' + pem + '\\n", "client_email": "a@b.iam"}')
    assert "MIIE" not in redacted.text
    assert "client_email" in redacted.text
    assert redacted.found[0].issuer == "Google Cloud"


def test_a_private_key_without_its_end_is_hidden_as_far_as_it_goes() -> None:
    assert "MIIE" not in redact(PEM.format("").partition("-----END")[0] + "\n[next]").text


def test_a_private_key_across_log_lines_is_hidden_line_by_line() -> None:
    seen: list[Kind] = []
    log = ["before", *PEM.format("EC ").splitlines(), "after"]
    out = list(redact_lines(log, seen.append))
    assert out[0] == "before"
    assert out[-1] == "after"
    assert set(out[1:-1]) == {"[hidden: private key]"}
    assert [kind.name for kind in seen] == ["private key"]


@given(
    st.lists(
        st.one_of(
            st.sampled_from([*SECRETS.values(), *(before + secret for before, secret in ASSIGNED)]),
            st.text(alphabet="ab1 -_.:=/@\"'\n[]{}", max_size=12),
            st.text(max_size=5),
        ),
        max_size=8,
    ).map("".join)
)
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text).text
    assert redact(once).text == once


@pytest.mark.parametrize(
    "piece",
    [
        "hf_",
        "xoxb-",
        "eyJ-",
        "-eyJa.",
        "sk-a",
        "://a:",
        "password",
        "token=",
        "token   ",
        "-----BEGIN PRIVATE KEY-----",
        "a",
        "A1+/",
        "AKIA",
        "--a-",
        "bearer ",
    ],
)
def test_a_hostile_megabyte_is_no_burden(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert redact(text).text
