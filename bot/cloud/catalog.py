"""Google's own price list: the TPU prices of the Cloud Billing Catalog (REST v1), page by page."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from bot.cloud.apis import BILLING
from bot.cloud.rest import GoogleRest
from bot.errors import RetryLater
from bot.ports import Clock
from bot.pricing.book import PriceBook, book
from bot.pricing.catalog import SERVICE, Sku, prices, skus

PAGE_SIZE = 5000
"""The largest page that the catalog gives; some 32,000 SKUs were seven of them in August 2026."""
MOST_PAGES = 40
PAGE_DEADLINE_S = 20.0
PAGE_BYTES = 64 * 1024 * 1024
_DOING = "reading Google's price list"


class BillingCatalog:
    """Reads all prices at once; whoever calls keeps them for a day, for the list is long and changes slowly."""

    def __init__(self, rest: GoogleRest, clock: Clock, *, page_size: int = PAGE_SIZE) -> None:
        """Share the connections; whoever made `rest` closes it."""
        self._rest = rest
        self._clock = clock
        self._page_size = page_size

    async def price_book(self) -> PriceBook:
        """List prices of every TPU generation and region, dated now, in USD per chip and hour.

        Raises RetryLater when it cannot be read whole or names no TPU price at all: half a list would make prices unknown that
        are known. Other errors as `bot.cloud.refusals.told`.
        """
        at = self._clock.now()
        found: list[Sku] = []
        async for page in self._pages():
            found.extend(skus(page))
        known = prices(found, at)
        if not known:
            raise RetryLater("Google's price list held no TPU prices, so none were taken from it.")
        return book(known)

    async def _pages(self) -> AsyncIterator[Sequence[Mapping[str, Any]]]:
        """The SKUs of one page after the other; only one page is held at a time."""
        token = ""
        for _ in range(MOST_PAGES):
            query = {"pageSize": str(self._page_size), "currencyCode": "USD"} | ({"pageToken": token} if token else {})
            answer = await self._rest.ask(
                BILLING,
                "GET",
                f"/v1/{SERVICE}/skus",
                doing=_DOING,
                query=query,
                deadline_s=PAGE_DEADLINE_S,
                max_bytes=PAGE_BYTES,
            )
            yield [sku for sku in answer.get("skus", ()) if isinstance(sku, Mapping)]
            token = str(answer.get("nextPageToken") or "")
            if not token:
                return
        raise RetryLater(f"Google's price list did not end after {MOST_PAGES} pages, so no price was taken from it.")
