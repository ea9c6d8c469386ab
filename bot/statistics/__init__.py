"""What numbers mean: windows over engine metrics, uncertainty of measurements, and whether a benchmark table can be true."""
