"""What a domain folder is tried on: its cases, and its own operators on drawn scenes."""
