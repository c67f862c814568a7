"""Python reads this at start, in the server and in its engine: below 3.12, pydantic refuses the TypedDict that SkyRL uses."""

import sys

if sys.version_info < (3, 12):
    import typing

    import typing_extensions

    typing.TypedDict = typing_extensions.TypedDict
