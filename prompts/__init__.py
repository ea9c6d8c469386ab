"""What is said to Gemma, as text files, never as code."""
