"""The Lua calls, each one atomic. Loaded once per connection, sent by their hash."""

from importlib.resources import files
from typing import Any

from redis.asyncio import Redis
from redis.commands.core import AsyncScript


class Scripts:
    """The scripts of `lua/`, by name, bound to one connection. Sent whole again when the server has forgotten them."""

    def __init__(self, redis: Redis) -> None:
        """Nothing is sent before a script is first called."""
        self._redis = redis
        self._known: dict[str, AsyncScript] = {}

    async def call(self, name: str, keys: list[str], args: list[str | int | bytes]) -> Any:
        """Run `lua/<name>.lua`; what it returns is bytes, ints and lists of them."""
        script = self._known.get(name)
        if script is None:
            source = files("bot.store").joinpath("lua", f"{name}.lua").read_text()
            script = self._known[name] = self._redis.register_script(source)
        return await script(keys=keys, args=args)
