"""Whatever answers: servers, local networks, baselines, all behind one Protocol."""
