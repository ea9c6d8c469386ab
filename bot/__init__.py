"""What may be asked of a Gemma 4 deployment on Cloud TPU, and how each answer comes about."""
