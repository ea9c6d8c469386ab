"""Who people are, asked of Slack and remembered for minutes."""

from bot.nouns import Actor, Standing
from bot.ports import Cache, Slack

PERSON_LIFE_S = 300
GROUP_LIFE_S = 60
"""Seconds an answer is used again. Groups change when somebody goes on call, so theirs are the shorter ones."""


class SlackDirectory:
    """Implements `bot.ports.Directory`. A failed look-up raises; nothing is guessed."""

    def __init__(self, slack: Slack, cache: Cache) -> None:
        """Nothing is asked before the first call."""
        self._slack = slack
        self._cache = cache

    async def standing(self, actor: Actor) -> Standing:
        """Member, guest, stranger (of another workspace) or bot; people who were switched off count as strangers."""
        key = f"person:{actor.team_id}:{actor.user_id}"
        known = await self._cache.get(key)
        if known is not None:
            return Standing(known)
        person = await self._slack.user_info(actor.user_id)
        if person.bot:
            standing = Standing.BOT
        elif person.deleted or person.team_id != actor.team_id:
            standing = Standing.STRANGER
        else:
            standing = Standing.GUEST if person.guest else Standing.MEMBER
        await self._cache.put(key, standing, PERSON_LIFE_S)
        return standing

    async def in_group(self, actor: Actor, group_id: str) -> bool:
        """Whether the user group holds this person."""
        key = f"group:{actor.team_id}:{group_id}"
        known = await self._cache.get(key)
        if known is None:
            known = " ".join(sorted(await self._slack.members_of_group(group_id)))
            await self._cache.put(key, known, GROUP_LIFE_S)
        return actor.user_id in known.split()
