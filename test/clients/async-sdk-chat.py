#!/usr/bin/env python3
"""Chat of a user and a bot of the PyPI package `async-zulip-bot-sdk` (2026), at two different API levels.

Usage: async-sdk-chat.py ZULIPRC_OF_PERSON ZULIPRC_OF_BOT [SECONDS]

The bot's client name is TodayBot, which the server must have configured for API level 371 (--api-levels). The user is
the package's own client, at level 184. Exit code 0: every message and response came as expected within SECONDS
(default 25); 1 otherwise. Needs Python 3.12, as the package does.
"""
import asyncio
import importlib
import io
import os
import shutil
import sys
import tempfile
from typing import Any, Awaitable, Callable, Dict, List

from bot_sdk import BaseBot, BotRunner, Message
from bot_sdk.async_zulip import AsyncClient
from bot_sdk.models import Event, GetUserGroupsRequest, StreamMessageRequest, UpdatePresenceRequest

CHANNEL = "async clients"
TOPIC = "python"
BOT_CLIENT = "TodayBot/1"
BOT_LEVEL = 371
PERSON_LEVEL = 184


def same(what: str, found: Any, expected: Any) -> None:
    if found != expected:
        raise SystemExit(f"{what}: found {found!r}, expected {expected!r}")


def ok(answer: Any) -> Any:
    result = answer["result"] if isinstance(answer, dict) else answer.result
    if result != "success":
        raise SystemExit(f"refused: {answer}")
    return answer


class EchoBot(BaseBot):
    """Bot that answers every message with its text and records each event."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.events: "asyncio.Queue[Event]" = asyncio.Queue()

    async def on_event(self, event: Event) -> None:
        self.events.put_nowait(event)
        await super().on_event(event)

    async def on_message(self, message: Message) -> None:
        await self.send_reply(message, f"heard {message.content}")


def tell_when_registered(client: AsyncClient) -> asyncio.Event:
    """Event that is set once the client has registered, which the package's loops don't report."""
    registered, register = asyncio.Event(), client.register

    async def register_and_tell(*args: Any, **kwargs: Any) -> Any:
        answer = await register(*args, **kwargs)
        registered.set()
        return answer

    client.register = register_and_tell  # type: ignore[method-assign]
    return registered


class Chat:
    def __init__(self, person: AsyncClient, runner: BotRunner) -> None:
        self.person, self.runner = person, runner
        assert runner.client and isinstance(runner.bot, EchoBot)
        self.bot, self.client = runner.bot, runner.client
        self.heard: "asyncio.Queue[Message]" = asyncio.Queue()

    async def hear(self, sender: str) -> Message:
        """Waits for the next message of this sender."""
        while True:
            message = await self.heard.get()
            print(f"{message.sender_email} in {message.subject or 'direct'}: {message.content}")
            if message.sender_email == sender:
                return message

    async def event_for_bot(self, wanted: Callable[[Event], bool]) -> Event:
        while True:
            event = await self.bot.events.get()
            if wanted(event):
                return event

    async def levels(self) -> None:
        for client, level in ((self.person, PERSON_LEVEL), (self.client, BOT_LEVEL)):
            same("level", ok(await client.get_server_settings())["zulip_feature_level"], level)

    async def messages(self) -> None:
        """Tests a stream message, a direct message and a command of the bot."""
        me, you = await self.person.get_profile(), await self.client.get_profile()
        request = StreamMessageRequest(to=CHANNEL, topic=TOPIC, content="**hello**")
        sent = ok(await self.person.send_message(request)).id
        answer = await self.hear(you.email)
        same("answer", [answer.content, answer.subject], ["heard **hello**", TOPIC])
        ok(await self.person.send_message({"type": "private", "to": [you.user_id], "content": "hello you"}))
        answer = await self.hear(you.email)
        same("direct", sorted(to.id for to in answer.display_recipient), sorted([me.user_id, you.user_id]))
        ok(await self.person.send_message({"type": "private", "to": [you.user_id], "content": "!whoami"}))
        if "org_owner" not in (text := (await self.hear(you.email)).content):
            raise SystemExit(f"whoami: {text}")
        reaction = {"message_id": sent, "emoji_name": "tada"}
        ok(await self.person.add_reaction(reaction))
        event = await self.event_for_bot(lambda event: event.type == "reaction")
        same("reaction", [event.op, event.model_extra["message_id"]], ["add", sent])
        ok(await self.person.remove_reaction(reaction))

    async def files(self) -> None:
        for client, names in ((self.person, {"uri"}), (self.client, {"uri", "url", "filename"})):
            file = io.BytesIO(b"some text")
            file.name = "notes.txt"
            answer = ok(await client.upload_file(file))
            same("upload", answer.keys() - {"result", "msg"}, names)
            ok(await client.send_message(StreamMessageRequest(to=CHANNEL, topic=TOPIC, content=f"[it]({answer['uri']})")))

    async def forms_of_today(self) -> None:
        """Tests requests of newer API levels, by the bot's client."""
        client = self.client
        subscriptions = ok(await client.get_subscriptions()).subscriptions
        channel = next(of.stream_id for of in subscriptions if of.name == CHANNEL)
        sent = ok(await client.send_message({"type": "channel", "to": channel, "topic": "", "content": "no topic"})).id
        here = [{"operator": "channel", "operand": channel}, {"operator": "with", "operand": sent}]
        window = {"anchor": "newest", "num_before": 5, "num_after": 0, "narrow": here, "allow_empty_topic_name": True}
        found = ok(await client.get_messages(window))["messages"]
        same("narrow", [[of["id"], of["subject"]] for of in found], [[sent, ""]])
        plain = ok(await self.person.get_raw_message(sent))["message"]
        same("at level 184", [plain["type"], plain["subject"]], ["stream", "(no topic)"])
        ok(await client.set_typing_status({"type": "channel", "op": "start", "stream_id": channel, "topic": TOPIC}))
        ok(await client.update_message({"message_id": sent, "content": "edited", "topic": TOPIC}))
        ok(await client.update_message_flags({"messages": [sent], "op": "add", "flag": "starred"}))
        ok(await self.person.delete_message(sent))

    async def objects(self) -> None:
        """Tests reads; the package validates the types of the responses."""
        for client in (self.person, self.client):
            groups = ok(await client.get_user_groups(GetUserGroupsRequest(include_deactivated_groups=True))).user_groups
            same("system groups", any(group.is_system_group for group in groups), True)
            subscriptions = ok(await client.get_subscriptions()).subscriptions
            same("subscribed", CHANNEL in [of.name for of in subscriptions], True)
            ok(await client.get_stream(subscriptions[0].stream_id))
            ok(await client.update_presence(UpdatePresenceRequest(status="active", last_update_id=-1, history_limit_days=7)))
            ok(await client.get_users())
            state = ok(await client.register(None))
            ok(await client.deregister(state.queue_id))


async def chat(person_rc: str, bot_rc: str) -> None:
    person = AsyncClient(config_file=person_rc)
    you = AsyncClient(config_file=bot_rc)
    principals = [(await client.get_profile()).user_id for client in (person, you)]
    await you.aclose()
    ok(await person.add_subscriptions([{"name": CHANNEL}], principals=principals))
    options: Dict[str, Any] = {"config_file": bot_rc, "client": BOT_CLIENT}
    runner = BotRunner(EchoBot, event_types=["message", "reaction"], client_kwargs=options, bot_name="echo")
    async with runner:
        course = Chat(person, runner)
        ready = [tell_when_registered(client) for client in (person, course.client)]
        loops = [
            asyncio.create_task(person.call_on_each_message(course.heard.put_nowait)),
            asyncio.create_task(runner.run_forever()),
        ]
        await asyncio.gather(*(event.wait() for event in ready))
        parts: List[Callable[[], Awaitable[None]]] = [
            *(course.levels, course.messages, course.files, course.forms_of_today, course.objects)
        ]
        for part in parts:
            await part()
            print(f"done: {part.__name__}")
        runner.request_stop()
        loops[0].cancel()
        await asyncio.gather(*loops, return_exceptions=True)
    await person.aclose()


def main(words: List[str]) -> None:
    seconds = float(words[2]) if len(words) > 2 else 25
    asyncio.run(asyncio.wait_for(chat(words[0], words[1]), seconds))
    print("complete")


if __name__ == "__main__":
    # The package writes a bot's settings beside its module and its data into the current folder.
    arguments = [*map(os.path.abspath, sys.argv[1:3]), *sys.argv[3:]]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(__file__, os.path.join(folder, "echo.py"))
        os.chdir(folder)
        sys.path.insert(0, folder)
        importlib.import_module("echo").main(arguments)
