"""Where items come from: declared sources, pinned files, and the formats they are read from."""
