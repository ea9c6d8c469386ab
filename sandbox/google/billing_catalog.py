"""What the Cloud Billing Catalog holds, in pages."""

from collections.abc import Sequence
from typing import Any

from sandbox.google import listing, price_list, refusals

LARGEST_PAGE = 5000
"""What the real catalog gives at most in one page; more than that is refused."""
DISTRACTORS = 300


class Catalog:
    """What the catalog lists: `rows`, and among them `distractors` other SKUs; the real list has some 32,000."""

    def __init__(self, *, distractors: int = DISTRACTORS, largest_page: int = LARGEST_PAGE) -> None:
        """All three may be changed by a test."""
        self.rows: Sequence[price_list.SkuRow] = price_list.ROWS
        self.distractors = distractors
        self.largest_page = largest_page

    def page(self, service: str, size: int, token: str) -> dict[str, Any]:
        """One page. Raises Refusal for a service that is not there, a bad size or token."""
        if service not in {price_list.NAME, price_list.OLD_TPUS}:
            raise refusals.not_found(service)
        if size > LARGEST_PAGE:
            raise refusals.invalid(f"page_size must be at most {LARGEST_PAGE}")
        every = list(price_list.skus(self.rows, self.distractors)) if service == price_list.NAME else []
        found = listing.page(every, size or self.largest_page, token, service, largest=self.largest_page)
        return {"skus": found.items, "nextPageToken": found.next_token}
