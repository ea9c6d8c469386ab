"""What TPU capacity costs: list prices from the Cloud Billing Catalog, a dated snapshot as fallback, and costs.

Pure: no network, no clock.
"""
