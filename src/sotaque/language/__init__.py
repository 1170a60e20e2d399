"""Portuguese, Persian and English text: how it is compared, labelled, and how it announces an answer."""
