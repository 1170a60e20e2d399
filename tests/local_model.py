"""The user's prepared ``local`` model, for tests that read it; prepared now where pip can get it."""

import functools
import os
from pathlib import Path

from sotaque import places
from sotaque.errors import UsageError

# Read at import time: tests point SOTAQUE_MODELS elsewhere.
USERS_MODELS = places.models_folder()


@functools.cache
def users_local() -> tuple[Path, str]:
    """The models folder that holds it, and why it could not be prepared (empty when it is there)."""
    from sotaque.models.prepare import prepare_local

    before = os.environ.get("SOTAQUE_MODELS")
    os.environ["SOTAQUE_MODELS"] = str(USERS_MODELS)
    try:
        prepare_local(lambda line: None)
    except UsageError as error:
        return USERS_MODELS, str(error)
    finally:
        if before is None:
            del os.environ["SOTAQUE_MODELS"]
        else:
            os.environ["SOTAQUE_MODELS"] = before
    return USERS_MODELS, ""
