"""Google Cloud TPU, asked through Google's own typed client. Nothing is opened when this is imported."""
