"""The generators lie beside the tests; this makes them importable under their own names."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
