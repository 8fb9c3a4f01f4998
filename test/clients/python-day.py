#!/usr/bin/env python3
"""Calls of the PyPI package `zulip`: each method of its client is called and its response checked.

Usage: python-day.py OWNER_ZULIPRC OTHER_ZULIPRC

Prints the result of each part. Exit code 0: every check holds and every method was called.
"""
import io
import struct
import sys
import zlib
from typing import Any, Dict, List, Set

import zulip

# Endless loops, which python-chat.py covers.
LOOPS = {"call_on_each_event", "call_on_each_message"}
# Internal methods that all other methods use.
INNER = {"call_endpoint", "do_api_query", "ensure_session", "get_user_agent"}
called: Set[str] = set()


class Client(zulip.Client):
    """Client of the package that records which of its methods are called."""

    def __getattribute__(self, name: str) -> Any:
        if callable(getattr(zulip.Client, name, None)):
            called.add(name)
        return super().__getattribute__(name)


class Failed(Exception):
    pass


def ok(result: Dict[str, Any]) -> Dict[str, Any]:
    if result["result"] != "success":
        raise Failed(f"refused: {result}")
    return result


def same(found: Any, expected: Any) -> None:
    if found != expected:
        raise Failed(f"found {found!r}, expected {expected!r}")


def names(items: List[Dict[str, Any]], key: str = "name") -> List[Any]:
    return sorted(item[key] for item in items)


def file(name: str, content: bytes) -> io.BytesIO:
    it = io.BytesIO(content)
    it.name = name
    return it


def png() -> bytes:
    """PNG image of one grey pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"\0\x80")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


class Day:
    """Test parts: one per method `part_…`, run in order of definition."""

    def __init__(self, owner: Client, other: Client) -> None:
        self.owner, self.other = owner, other
        self.me: int = ok(owner.get_profile())["user_id"]
        self.you: int = ok(other.get_profile())["user_id"]

    def say(self, content: str, topic: str = "first", client: Any = None) -> int:
        to = {"type": "stream", "to": "days", "topic": topic, "content": content}
        return ok((client or self.owner).send_message(to))["id"]

    def last(self, *narrow: List[str]) -> List[Dict[str, Any]]:
        asked = {"anchor": "newest", "num_before": 20, "num_after": 0, "narrow": list(narrow), "apply_markdown": False}
        return ok(self.other.get_messages(asked))["messages"]

    def part_server(self) -> None:
        settings = ok(self.owner.get_server_settings())
        same(settings["zulip_feature_level"], 184)
        same(self.owner.feature_level, 184)

    def part_streams(self) -> None:
        added = ok(self.owner.add_subscriptions([{"name": "days", "description": "of *work*"}, {"name": "nights"}]))
        same(sorted(next(iter(added["subscribed"].values()))), ["days", "nights"])
        ok(self.other.add_subscriptions(streams=[{"name": "days"}]))
        streams = ok(self.owner.get_streams(include_subscribed=True))["streams"]
        self.days = next(s["stream_id"] for s in streams if s["name"] == "days")
        self.nights = ok(self.owner.get_stream_id("nights"))["stream_id"]
        same({"days", "nights"} <= set(names(ok(self.owner.get_subscriptions())["subscriptions"])), True)
        theirs = names(ok(self.other.list_subscriptions())["subscriptions"])
        same(("days" in theirs, "nights" in theirs), (True, False))
        same(ok(self.other.get_subscription_status(self.you, self.nights))["is_subscribed"], False)
        same(sorted(ok(self.owner.get_subscribers(stream="days"))["subscribers"]), sorted([self.me, self.you]))
        ok(self.owner.update_stream({"stream_id": self.days, "description": "of rest"}))
        streams = ok(self.other.get_streams())["streams"]
        same([s["rendered_description"] for s in streams if s["name"] == "days"], ["<p>of rest</p>"])
        ok(self.owner.add_default_stream(self.nights))
        settings = [{"stream_id": self.days, "property": "color", "value": "#ff0000"}]
        ok(self.other.update_subscription_settings(settings))
        subscriptions = ok(self.other.get_subscriptions())["subscriptions"]
        same([s["color"] for s in subscriptions if s["stream_id"] == self.days], ["#ff0000"])

    def part_messages(self) -> None:
        first = self.say("a **word**")
        same(ok(self.other.get_raw_message(first))["raw_content"], "a **word**")
        same(ok(self.other.render_message({"content": "a **word**"}))["rendered"], "<p>a <strong>word</strong></p>")
        matches = self.other.check_messages_match_narrow(
            msg_ids=[first], narrow=[{"operator": "topic", "operand": "first"}]
        )
        same(list(ok(matches)["messages"]), [str(first)])
        ok(self.owner.update_message({"message_id": first, "content": "another word"}))
        history = ok(self.other.get_message_history(first))["message_history"]
        same([entry["content"] for entry in history], ["a **word**", "another word"])
        second = self.say("too much")
        ok(self.owner.delete_message(second))
        same([m["id"] for m in self.last(["stream", "days"], ["topic", "first"])], [first])
        moved = ok(self.owner.move_topic("days", "days", "first", "renamed", notify_old_topic=False))
        same(moved["msg"], "")
        topics = ok(self.other.get_stream_topics(self.days))["topics"]
        same("renamed" in names(topics) and "first" not in names(topics), True)
        # `ZulipStream` acts as a writable file and sends the topic under its old parameter name.
        zulip.ZulipStream(type="stream", to="days", subject="file", config_file=sys.argv[1]).write("written")
        same([m["content"] for m in self.last(["topic", "file"])], ["written"])

    def part_flags(self) -> None:
        ids = [self.say(f"unread {n}", topic=f"topic {n}") for n in range(4)]

        def flags(n: int) -> List[str]:
            return next(m["flags"] for m in self.last(["stream", "days"]) if m["id"] == ids[n])

        same(flags(0), [])
        changed = ok(self.other.update_message_flags({"messages": ids[:1], "op": "add", "flag": "starred"}))
        same((changed["messages"], flags(0)), (ids[:1], ["starred"]))
        ok(self.other.mark_topic_as_read(self.days, "topic 1"))
        same((flags(1), flags(2)), (["read"], []))
        ok(self.other.mark_stream_as_read(self.days))
        same(flags(2), ["read"])
        self.say("one more", topic="topic 4")
        ok(self.other.mark_all_as_read())
        same([m for m in self.last() if "read" not in m["flags"]], [])

    def part_reactions(self) -> None:
        message = self.say("like it?")
        reaction = {"message_id": message, "emoji_name": "tada"}
        ok(self.other.add_reaction(reaction))
        same([r["user_id"] for r in self.last()[-1]["reactions"]], [self.you])
        ok(self.other.remove_reaction({**reaction, "emoji_code": "1f389", "reaction_type": "unicode_emoji"}))
        same(self.last()[-1]["reactions"], [])

    def part_files(self) -> None:
        uploaded = ok(self.owner.upload_file(file("notes.txt", b"some notes")))
        self.say(f"see [notes]({uploaded['uri']})")
        attachments = ok(self.owner.get_attachments())["attachments"]
        own = [a for a in attachments if uploaded["uri"].endswith(a["path_id"])]
        same([(a["name"], a["size"], len(a["messages"])) for a in own], [("notes.txt", 10, 1)])
        ok(self.owner.upload_custom_emoji("dayemoji", file("day.png", png())))
        emoji = ok(self.other.get_realm_emoji())["emoji"].values()
        same([e["name"] for e in emoji if not e["deactivated"]], ["dayemoji"])
        ok(self.owner.delete_custom_emoji("dayemoji"))
        emoji = ok(self.other.get_realm_emoji())["emoji"].values()
        same([e["name"] for e in emoji if not e["deactivated"]], [])

    def part_linkifiers(self) -> None:
        added = ok(self.owner.add_realm_filter("#(?P<id>[0-9]+)", "https://example.com/{id}"))["id"]
        linkifiers = ok(self.other.get_realm_linkifiers())["linkifiers"]
        same([item["url_template"] for item in linkifiers], ["https://example.com/{id}"])
        rendered = ok(self.other.render_message({"content": "#12"}))["rendered"]
        same('href="https://example.com/12"' in rendered, True)
        ok(self.owner.remove_realm_filter(added))
        same(ok(self.other.get_realm_linkifiers())["linkifiers"], [])

    def part_profile_fields(self) -> None:
        field = ok(self.owner.create_realm_profile_field(name="Phone", hint="with prefix", field_type=1))["id"]
        second = ok(self.owner.create_realm_profile_field(name="Room", field_type=1))["id"]
        ok(self.owner.update_realm_profile_field(field, name="Telephone", hint=""))
        ok(self.owner.reorder_realm_profile_fields(order=[second, field]))
        fields = ok(self.other.get_realm_profile_fields())["custom_fields"]
        same([f["name"] for f in sorted(fields, key=lambda f: f["order"])], ["Room", "Telephone"])
        data = [{"id": field, "value": "123"}]
        ok(self.owner.update_user_by_id(self.you, profile_data=data))
        person = ok(self.owner.get_user_by_id(self.you, include_custom_profile_fields=True))["user"]
        same(person["profile_data"][str(field)]["value"], "123")
        ok(self.owner.remove_realm_profile_field(second))
        same(names(ok(self.other.get_realm_profile_fields())["custom_fields"]), ["Telephone"])

    def part_words_and_topics(self) -> None:
        same(sorted(ok(self.other.add_alert_words(["fire", "cake"]))["alert_words"]), ["cake", "fire"])
        ok(self.other.remove_alert_words(["fire"]))
        same(ok(self.other.get_alert_words())["alert_words"], ["cake"])
        ok(self.other.mute_topic({"stream": "days", "topic": "file", "op": "add"}))
        registered = ok(self.other.register(event_types=["muted_topics"]))
        same([entry[:2] for entry in registered["muted_topics"]], [["days", "file"]])
        ok(self.other.deregister(registered["queue_id"]))

    def part_groups(self) -> None:
        group = {"name": "keepers", "description": "of days", "members": [self.me]}
        ok(self.owner.create_user_group(group))

        def found() -> List[Dict[str, Any]]:
            return [g for g in ok(self.other.get_user_groups())["user_groups"] if not g["is_system_group"]]

        same([(g["name"], g["members"]) for g in found()], [("keepers", [self.me])])
        self.group = found()[0]["id"]
        ok(self.owner.update_user_group({"group_id": self.group, "name": "watch", "description": "of nights"}))
        ok(self.owner.update_user_group_members(self.group, {"add": [self.you]}))
        same([(g["name"], sorted(g["members"])) for g in found()], [("watch", sorted([self.me, self.you]))])
        self.say("@*watch* wake up")
        same("mentioned" in self.last()[-1]["flags"], True)
        ok(self.owner.remove_user_group(self.group))
        same(found(), [])

    def part_people(self) -> None:
        person = {"email": "third@example.com", "full_name": "Third", "password": "correct horse battery staple"}
        third = ok(self.owner.create_user(person))["user_id"]
        same(ok(self.other.get_user_by_id(third))["user"]["full_name"], "Third")
        same("Third" in names(ok(self.other.get_users())["members"], "full_name"), True)
        same("Third" in names(ok(self.other.get_members({"client_gravatar": True}))["members"], "full_name"), True)
        ok(self.owner.update_user_by_id(third, full_name="The Third", role=600))
        user = ok(self.other.get_user_by_id(third))["user"]
        same((user["full_name"], user["role"], user["is_guest"]), ("The Third", 600, True))
        ok(self.owner.deactivate_user_by_id(third))
        same(ok(self.other.get_user_by_id(third))["user"]["is_active"], False)
        ok(self.owner.reactivate_user_by_id(third))
        same(ok(self.other.get_user_by_id(third))["user"]["is_active"], True)
        settings = ok(self.other.update_notification_settings({"enable_stream_push_notifications": True}))
        same(settings["result"], "success")

    def part_presence(self) -> None:
        status = {"status": "active", "ping_only": False, "new_user_input": True}
        email = ok(self.other.get_profile())["email"]
        same(email in ok(self.other.update_presence(status))["presences"], True)
        same(ok(self.owner.get_user_presence(email))["presence"]["aggregated"]["status"], "active")
        same(email in ok(self.owner.get_realm_presence())["presences"], True)

    def part_events(self) -> None:
        queue = ok(self.owner.register(event_types=["typing", "message"]))
        ok(self.other.set_typing_status({"op": "start", "to": [self.me]}))
        answer = ok(self.owner.get_events(queue_id=queue["queue_id"], last_event_id=queue["last_event_id"]))
        same([(e["type"], e["op"], e["sender"]["user_id"]) for e in answer["events"]], [("typing", "start", self.you)])
        ok(self.owner.deregister(queue["queue_id"]))
        gone = self.owner.get_events(queue_id=queue["queue_id"], last_event_id=0)
        same((gone["result"], gone["code"]), ("error", "BAD_EVENT_QUEUE_ID"))

    def part_bot(self) -> None:
        made = {"full_name": "Day Bot", "short_name": "day", "bot_type": 1}
        bot = ok(self.owner.call_endpoint("bots", method="POST", request=made))
        email = ok(self.owner.get_user_by_id(bot["user_id"]))["user"]["email"]
        client = Client(email=email, api_key=bot["api_key"], site=self.owner.base_url)
        ok(client.update_storage({"storage": {"entry": "value", "more": "things"}}))
        same(ok(client.get_storage({"keys": ["entry"]}))["storage"], {"entry": "value"})
        same(ok(client.get_storage())["storage"], {"entry": "value", "more": "things"})
        ok(client.send_message({"type": "private", "to": [self.you], "content": "I am a bot"}))
        same(self.last()[-1]["sender_id"], bot["user_id"])

    def part_end(self) -> None:
        # The operation is newer than feature level 184: it is refused with a JSON error.
        same(self.owner.get_stream_email_address(self.days)["result"], "error")
        same(ok(self.other.remove_subscriptions(["days"]))["removed"], ["days"])
        ok(self.owner.delete_stream(self.nights))
        same("nights" in names(ok(self.owner.get_streams())["streams"]), False)


def main() -> int:
    day = Day(Client(config_file=sys.argv[1]), Client(config_file=sys.argv[2]))
    failures = 0
    for name, part in list(vars(Day).items()):
        if not name.startswith("part_"):
            continue
        try:
            part(day)
            print(f"ok: {name[5:].replace('_', ' ')}")
        except Failed as failure:
            failures += 1
            line = sys.exc_info()[2].tb_next.tb_lineno  # type: ignore[union-attr]
            print(f"not ok: {name[5:].replace('_', ' ')}, line {line}: {failure}")
    every = {name for name, of in vars(zulip.Client).items() if callable(of) and not name.startswith("_")}
    left_out = sorted(every - called - LOOPS - INNER)
    print(f"{len(called & every)} methods called")
    print("complete" if not left_out and not failures else f"incomplete: {failures} failed, left out: {left_out}")
    return 0 if not left_out and not failures else 1


if __name__ == "__main__":
    sys.exit(main())
