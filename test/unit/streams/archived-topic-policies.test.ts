/** The events of topic policies that end because their stream is archived. */
import t from 'tap';
import { userActorKind } from '#actors/user';
import type { Json } from '#base';
import { TOPIC_VISIBILITY_POLICY, userTopicPartName } from '#domain/streams';
import { toRealmId, toUserId, userActorKey } from '#model';
import { publishTopicPoliciesOfShownOrHiddenStreamHandler } from '../../../actors/user/commands/streams/topics.js';

const REALM = toRealmId(1);
const KEY = userActorKey(REALM, toUserId(7));
const STREAM = 5;
const OTHER_STREAM = 51;
const POLICIES = 1_200;

t.test('the ends of many topic policies are published in batches, each once', (t) => {
  const parts = new Map<string, Json>();
  const add = (stream: number, name: string): void => {
    parts.set(userTopicPartName(stream, name), { stream, name, policy: TOPIC_VISIBILITY_POLICY.followed, updated: 1 });
  };
  for (let i = 0; i < POLICIES; i++) add(STREAM, `topic ${i}`);
  add(OTHER_STREAM, 'other');
  const view = { state: userActorKind.makeInitialState(KEY), parts, volatile: undefined };
  const context = {
    key: KEY,
    realm: REALM,
    now: 9_000,
    caller: 0,
    client: 'test',
    version: 9,
    findPendingCommands: () => [],
    directory: { version: 9, stream: () => ({ archived: true }), user: () => undefined } as never,
  };
  const sizes: number[] = [];
  const ended = new Set<string>();
  let args: { stream: number; after?: string } | undefined = { stream: STREAM };
  while (args && sizes.length < 10) {
    const outcome = publishTopicPoliciesOfShownOrHiddenStreamHandler.handle(view, args, undefined, context);
    const events = (outcome.events ?? []) as unknown as { event: { stream_id: number; topic_name: string } }[];
    sizes.push(events.length);
    for (const { event } of events) {
      t.equal(event.stream_id, STREAM);
      ended.add(event.topic_name);
    }
    const [command] = outcome.commands?.flat() ?? [];
    if (command) t.equal(command.to, KEY);
    args = command?.args as typeof args;
  }
  t.same(sizes, [500, 500, 200]);
  t.equal(ended.size, POLICIES);
  t.end();
});
