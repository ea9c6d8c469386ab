"""A stand-in for Google Cloud TPU: one project with zones, quota, capacity, nodes and queued resources, over gRPC and REST."""
