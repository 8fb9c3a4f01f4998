#!/usr/bin/env python3
"""Chat of two clients of the PyPI package `zulip`.

Usage: python-chat.py ZULIPRC_1 ZULIPRC_2 [SECONDS]

Exit code 0: each client received every message within SECONDS (default 25); 1 otherwise.
"""
import os
import queue
import sys
import threading
import time
from typing import Any, Callable, Dict

import zulip

STREAM = "clients"
TOPIC = "python"


class Client(zulip.Client):
    """Client of the package that also reports its registration, which the package's endless loops don't."""

    def __init__(self, config_file: str) -> None:
        super().__init__(config_file=config_file, client="python-chat")
        self.registered = threading.Event()

    def register(self, *args: Any, **kwargs: Any) -> Dict[str, Any]:
        result = super().register(*args, **kwargs)
        if result["result"] == "success":
            self.registered.set()
        return result


def ok(result: Dict[str, Any]) -> Dict[str, Any]:
    if result["result"] != "success":
        raise SystemExit(f"refused: {result}")
    return result


def listen(loop: Callable[[Callable[[Any], None]], None], client: Client) -> "queue.Queue[Dict[str, Any]]":
    heard: "queue.Queue[Dict[str, Any]]" = queue.Queue()
    threading.Thread(target=loop, args=(heard.put,), daemon=True).start()
    if not client.registered.wait(60):
        raise SystemExit("not registered within 60 s")
    return heard


def main() -> int:
    until = time.monotonic() + float(sys.argv[3] if len(sys.argv) > 3 else 25)
    owner, other = Client(sys.argv[1]), Client(sys.argv[2])
    print(f"server: feature level {owner.feature_level}")
    me, you = ok(owner.get_profile()), ok(other.get_profile())
    ok(owner.add_subscriptions([{"name": STREAM}], principals=[me["email"], you["email"]]))

    def each_event(handle: Callable[[Any], None]) -> None:
        owner.call_on_each_event(handle, event_types=["message"])

    # The package has two loops: one passes on messages, the other events.
    by_message = listen(other.call_on_each_message, other)
    by_event = listen(each_event, owner)

    def send(client: Client, content: str, **to: Any) -> int:
        return ok(client.send_message({"content": content, **to}))["id"]

    sent = [
        send(owner, "**hello** stream", type="stream", to=STREAM, topic=TOPIC),
        send(owner, "hello you", type="private", to=[you["email"]]),
        send(other, "hello back, stream", type="stream", to=STREAM, topic=TOPIC),
        send(other, "hello back, you", type="private", to=[me["email"]]),
    ]

    def collect(who: str, heard: "queue.Queue[Dict[str, Any]]") -> bool:
        seen = []
        while len(seen) < len(sent):
            try:
                message = heard.get(timeout=max(0.01, until - time.monotonic()))
            except queue.Empty:
                break
            message = message.get("message", message)
            where = message["subject"] if message["type"] == "stream" else "direct"
            print(f"{who} saw {message['id']} in {where} from {message['sender_full_name']}: {message['content']}")
            seen.append(message["id"])
        return sorted(seen) == sent

    complete = [collect("call_on_each_message", by_message), collect("call_on_each_event", by_event)]
    print("complete" if all(complete) else f"incomplete: {complete}")
    return 0 if all(complete) else 1


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # The package's loops never end, so exit without waiting for their threads.
    os._exit(code)
