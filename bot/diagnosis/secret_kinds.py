"""The shapes of secrets, each from its issuer's published format. Each expression is bounded or anchored: linear time."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """One kind of secret.

    `name` is what people call it; `issuer` who can revoke it ("" when that depends); `trigger` a piece of text that must be
    there (cheap test, lower case); `expression` finds it, its group `secret` is what gets hidden (the whole match when absent);
    `shown` is how many leading characters are public anyway (hf_, AKIA) and may stand in the hint.
    """

    name: str
    issuer: str
    trigger: tuple[str, ...]
    expression: re.Pattern[str]
    shown: int = 0


def _shape(name: str, issuer: str, trigger: str, expression: str, shown: int = 0) -> Shape:
    return Shape(name, issuer, tuple(trigger.split()), re.compile(rf"(?<![A-Za-z0-9_]){expression}"), shown)


_END = r"(?![A-Za-z0-9_])"

SHAPES: tuple[Shape, ...] = (
    _shape("Hugging Face token", "Hugging Face", "hf_ api_org_", rf"(?:hf_|api_org_)[A-Za-z0-9]{{20,}}{_END}", 3),
    _shape(
        "Slack webhook address",
        "Slack",
        "hooks.slack",
        r"https://hooks\.slack(?:-gov)?\.com/(?P<secret>[a-z]{1,20}/[A-Za-z0-9/_\-]{10,200})",
    ),
    _shape("Slack token", "Slack", "xox", r"xoxe?(?:\.xox)?[abeoprs]?[.\-](?=[A-Za-z\-]{0,40}\d)[A-Za-z0-9\-]{10,300}", 5),
    _shape("Slack app token", "Slack", "xapp-", r"xapp-\d[A-Za-z0-9\-]{10,300}", 5),
    _shape("Google API key", "Google Cloud", "aiza", rf"AIza[A-Za-z0-9_\-]{{35}}{_END}", 4),
    _shape("Google access token", "Google", "ya29.", r"ya29\.[A-Za-z0-9_\-.]{20,2048}", 5),
    _shape("Google refresh token", "Google", "1//0", r"1//0[A-Za-z0-9_\-]{30,512}", 4),
    _shape("Google client secret", "Google Cloud", "gocspx-", r"GOCSPX-[A-Za-z0-9_\-]{20,64}", 7),
    _shape("GitHub token", "GitHub", "ghp_ gho_ ghu_ ghs_ ghr_", rf"gh[pousr]_[A-Za-z0-9]{{30,}}{_END}", 4),
    _shape("GitHub token", "GitHub", "github_pat_", r"github_pat_[A-Za-z0-9_]{20,255}", 11),
    _shape("GitLab token", "GitLab", "glpat-", r"glpat-[A-Za-z0-9_\-]{20,64}", 6),
    _shape("Anthropic key", "Anthropic", "sk-ant-", r"sk-ant-[A-Za-z0-9_\-]{20,256}", 7),
    _shape(
        "OpenAI key",
        "OpenAI",
        "sk-",
        r"sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_\-]{20,256}|(?=[A-Za-z]{0,64}\d)[A-Za-z0-9]{20,128}(?![A-Za-z0-9]))",
        3,
    ),
    _shape("Stripe key", "Stripe", "_live_ _test_", rf"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{{16,}}{_END}", 8),
    _shape("Stripe webhook secret", "Stripe", "whsec_", r"whsec_[A-Za-z0-9+/=]{20,128}", 6),
    _shape("npm token", "npm", "npm_", rf"npm_[A-Za-z0-9]{{36}}{_END}", 4),
    _shape("PyPI token", "PyPI", "pypi-age", r"pypi-AgE[A-Za-z0-9_\-]{50,512}", 5),
    _shape("Docker Hub token", "Docker Hub", "dckr_pat_", r"dckr_pat_[A-Za-z0-9_\-]{20,64}", 9),
    _shape("SendGrid key", "SendGrid", "sg.", r"SG\.[A-Za-z0-9_\-]{16,64}\.[A-Za-z0-9_\-]{16,128}", 3),
    _shape("AWS access key", "AWS", "akia asia abia acca", rf"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{{16}}{_END}", 4),
    _shape(
        "signed token (JWT)",
        "",
        "eyj",
        r"(?<![.\-])eyJ[A-Za-z0-9_\-]{8,8192}\.eyJ[A-Za-z0-9_\-]{8,8192}(?:\.[A-Za-z0-9_\-]{0,2048})?",
        3,
    ),
    Shape(
        "password in an address",
        "",
        ("://",),
        re.compile(r"://(?P<secret>(?!\[hidden: )(?:[^\s/:@?#]{0,128}:[^\s/@]{1,256}|[^\s/:@?#\[]{20,256}))@(?=[\w\[.])"),
    ),
    Shape(
        "Authorization header",
        "",
        ("authorization", "bearer "),
        re.compile(
            r"(?i)(?:\bauthorization[\"']{0,2}\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic|token|digest|negotiate)\s{1,3}"
            r"(?P<secret>(?!\[hidden: )[^\s\"',;]{6,8192})|\bbearer\s{1,3}(?P<bare>(?!\[hidden: )[A-Za-z0-9._~+/=\-]{16,8192}))"
        ),
    ),
)

AWS_SECRET = re.compile(
    r"(?<![A-Za-z0-9/+=])(?=[A-Z0-9/+]{0,39}[a-z])(?=[a-z0-9/+]{0,39}[A-Z])(?=[A-Za-z/+]{0,39}\d)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])"
)
"""The 40 characters that go with an AWS access key; without one beside it they may be anything, for instance a git commit."""

_VALUE = r"""(?P<value>"(?P<double>[^"\n]{1,512})"|'(?P<single>[^'\n]{1,512})'|[\"']?(?P<plain>[^\s"'&,;)}\]>]{1,512}))"""
_KEY = (
    r"(?:pass(?:word|wd|phrase)|\bpwd|secret(?:[_\-]?(?:access[_\-]?)?key)?|token|api[_\-]?key|access[_\-]?key|account[_\-]?key"
    r"|private[_\-]?key|client[_\-]?secret|signing[_\-]?secret|credentials?)"
)
ASSIGNMENT = re.compile(rf"(?i)(?P<key>{_KEY})(?P<quote>[\"']?)\s{{0,3}}(?P<by>:=|=>|=|:)\s{{0,3}}{_VALUE}")
OPTION = re.compile(rf"(?i)(?<![\w\-])--?(?:[a-z0-9]{{1,20}}-){{0,3}}(?P<key>{_KEY})(?P<quote>)(?P<by>\s{{1,3}}){_VALUE}")
"""A command-line option whose value is the next word: `--api-key abc123`."""

PRIVATE_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
PRIVATE_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
KEY_BODY = re.compile(r"(?:[A-Za-z0-9+/=]|\\n|\\r|\s){0,16384}")
LONGEST_KEY = 16_384
"""Characters between begin and end of a private key at most (an RSA key of 8,192 bits has about 6,400)."""
