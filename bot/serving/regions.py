"""Where Google's regions are, to a degree: enough to say which of two is nearer. No claim about latency."""

import math

PLACES: dict[str, tuple[float, float]] = {
    "us-central1": (41.3, -95.9),
    "us-central2": (36.2, -95.3),
    "us-east1": (33.2, -80.0),
    "us-east4": (39.0, -77.5),
    "us-east5": (40.0, -83.0),
    "us-south1": (32.8, -96.8),
    "us-west1": (45.6, -121.2),
    "us-west4": (36.2, -115.1),
    "southamerica-east1": (-23.5, -46.6),
    "southamerica-west1": (-33.4, -70.7),
    "europe-west1": (50.5, 3.8),
    "europe-west2": (51.5, -0.1),
    "europe-west4": (53.4, 6.8),
    "asia-east1": (24.1, 120.5),
    "asia-northeast1": (35.7, 139.7),
    "asia-south1": (19.1, 72.9),
    "asia-south2": (28.6, 77.2),
    "asia-southeast1": (1.3, 103.8),
}
"""Latitude and longitude of the place that Google names for each region (its list of regions in 2026-11, from memory)."""

EARTH_KM = 6371.0


def distance_km(one: str, other: str) -> float | None:
    """Between two regions along the ground; 0 within one, None where a place is not in the table."""
    if one == other:
        return 0.0
    if one not in PLACES or other not in PLACES:
        return None
    (lat1, lon1), (lat2, lon2) = (tuple(map(math.radians, PLACES[name])) for name in (one, other))
    chord = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_KM * math.asin(math.sqrt(chord))
