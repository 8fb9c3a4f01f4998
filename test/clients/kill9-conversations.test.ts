/**
 * Embedded face: what is done with messages after they were sent survives `kill -9`: messages sent later, moves of large
 * topics, flags, reactions, edits, drafts. `SEED=7 node …` chooses the same moments again, as far as a machine can.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Random } from '../cluster/scheduler.js';
import { until } from '../support/until.js';
import type { Api, Message } from './support/api.js';
import { Follower, faultsOf } from './support/chatter.js';
import { Embedded } from './support/face.js';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e6));
t.comment(`SEED=${seed}`);

interface World {
  readonly face: Embedded;
  readonly owner: Api;
  readonly other: Api;
  readonly random: Random;
  /** Stream name → id. */
  readonly streams: ReadonlyMap<string, number>;
}

async function begin(test: Test, nth: number, streams: readonly string[]): Promise<World> {
  const face = await Embedded.start();
  test.teardown(() => face.stop());
  const [owner, other] = [face.api(), face.api(face.other)];
  for (const api of [owner, other]) await api.subscribe(...streams);
  const all = (await owner.ok('GET', '/streams')).streams as { name: string; stream_id: number }[];
  const ids = new Map(all.map(({ name, stream_id }) => [name, stream_id]));
  return { face, owner, other, random: new Random(seed * 10 + nth), streams: ids };
}

async function crash({ face }: World): Promise<void> {
  await face.server.kill();
  await face.up();
}

function counts<K>(of: Iterable<K>): Map<K, number> {
  const found = new Map<K, number>();
  for (const one of of) found.set(one, (found.get(one) ?? 0) + 1);
  return found;
}

/** Which of the expected are not there exactly once. */
const notOnce = <K>(expected: Iterable<K>, found: Iterable<K>): string[] => {
  const times = counts(found);
  return [...expected].filter((one) => times.get(one) !== 1).map((one) => `${one}: ${times.get(one) ?? 0} times`);
};

const myId = async (api: Api): Promise<number> => (await api.ok('GET', '/users/me')).user_id as number;

t.test('scheduled messages are sent once, whenever the server is killed', async (test) => {
  const world = await begin(test, 1, ['general', 'doomed']);
  const { owner, other, random, streams } = world;
  const apis = [owner, other];
  const [me, they] = [await myId(owner), await myId(other)];
  const types = ['message', 'scheduled_messages'];
  const followers = [await Follower.start([owner], types), await Follower.start([other], types)];
  test.teardown(() => {
    for (const follower of followers) follower.stop();
  });

  const KILLS = 6;
  const EACH = 14;
  const firstDue = Math.floor(Date.now() / 1000) + 3;
  const scheduled: { content: string; id: number; by: number; at: number; fails: boolean }[] = [];
  await Promise.all(
    Array.from({ length: KILLS * EACH }, async (_, n) => {
      const at = firstDue + 2 * (n % KILLS);
      const by = random.below(2);
      const fails = n % 7 === 6;
      const stream = streams.get(fails ? 'doomed' : 'general')!;
      const content = `scheduled ${n}`;
      const direct = !fails && random.chance(0.4);
      const to = direct
        ? { type: 'direct', to: [[me, they][random.below(2)]] }
        : { type: 'stream', to: stream, topic: 'later' };
      const { scheduled_message_id } = await apis[by]!.ok('POST', '/scheduled_messages', {
        ...to,
        content,
        scheduled_delivery_timestamp: at,
      });
      scheduled.push({ content, id: scheduled_message_id as number, by, at, fails });
    }),
  );
  await owner.ok('DELETE', `/streams/${streams.get('doomed')}`);

  for (let kill = 0; kill < KILLS; kill++) {
    // Some when they are waiting, most while they are handed over, some after it.
    const moment = (firstDue + 2 * kill) * 1000 - 10 + random.below(80);
    if (moment < Date.now()) test.comment('late: the kill before took long');
    await sleep(Math.max(0, moment - Date.now()));
    const told = followers.flatMap(({ events }) => events).filter(({ op }) => op === 'remove' || op === 'update');
    test.comment(`kill ${kill + 1}: ${told.length} of ${EACH * (kill + 1)} were done and told`);
    await crash(world);
  }

  const list = async (by: number) =>
    (await apis[by]!.ok('GET', '/scheduled_messages')).scheduled_messages as {
      scheduled_message_id: number;
      failed: boolean;
    }[];
  for (const by of [0, 1]) {
    const failing = scheduled.filter((one) => one.by === by && one.fails).map(({ id }) => id);
    await until('only failed messages in the list', async () => (await list(by)).every(({ failed }) => failed), 10_000);
    test.strictSame(
      new Set((await list(by)).map(({ scheduled_message_id }) => scheduled_message_id)),
      new Set(failing),
      `the list hides ${scheduled.filter((one) => one.by === by).length - failing.length} sent messages and shows ${failing.length} failed ones`,
    );
  }
  const good = scheduled.filter(({ fails }) => !fails);
  const history = [
    ...(await owner.history('general')),
    ...(await owner.messages([{ operator: 'is', operand: 'dm' }])),
    // What the other one wrote to himself.
    ...(await other.messages([{ operator: 'dm', operand: [they] }])),
  ].map(({ content }) => content);
  const mine = history.filter((content) => content.startsWith('scheduled '));
  test.strictSame(
    notOnce(
      good.map(({ content }) => content),
      mine,
    ),
    [],
    `${good.length} messages are in the history once`,
  );
  test.equal(mine.length, good.length, 'and no others');

  for (const [by, follower] of followers.entries()) {
    const own = scheduled.filter((one) => one.by === by);
    const fails = own.filter((one) => one.fails);
    const ops = (op: string) =>
      follower.events.filter((event) => event.type === 'scheduled_messages' && event.op === op);
    const removed = () => ops('remove').map((event) => event.scheduled_message_id as number);
    const failed = () =>
      ops('update').map((event) => (event.scheduled_message as { scheduled_message_id: number }).scheduled_message_id);
    const notices = () => follower.events.filter(({ message }) => message?.content.includes('was not sent because'));
    await until(
      'the last events of the queue',
      () =>
        removed().length >= own.length - fails.length &&
        failed().length >= fails.length &&
        notices().length >= fails.length,
    );
    const sent = own.filter((one) => !one.fails).map(({ id }) => id);
    test.strictSame(
      [notOnce(sent, removed()), removed().length],
      [[], sent.length],
      'each was removed once in the queue',
    );
    test.strictSame(
      notOnce(
        fails.map(({ id }) => id),
        failed(),
      ),
      [],
      'each failure came once in the queue',
    );
    test.equal(notices().length, fails.length, 'and one notice tells of it');
    const contents = follower.contents();
    test.strictSame(
      [...contents].filter(([content, n]) => content.startsWith('scheduled ') && n !== 1),
      [],
      'no message came twice',
    );
    test.strictSame(
      own.filter(({ content, fails: no }) => !no && !contents.has(content)),
      [],
      'none was left out',
    );
  }
});

t.test('a large topic is moved whole or not at all', async (test) => {
  const world = await begin(test, 2, ['left', 'right']);
  const { owner, other, random, streams } = world;
  const SIZE = 1_500;
  const ROUNDS = 8;
  const ids = await fill(owner, SIZE);
  const follower = await Follower.start([other], ['update_message']);
  test.teardown(() => follower.stop());
  const all = async (): Promise<Message[]> => [
    ...(await owner.history('left', 5_000)),
    ...(await owner.history('right', 5_000)),
  ];
  const reacted: string[] = [];
  const late = new Map<string, number>();
  let usual = { decided: 0, written: 0 };

  for (let round = 0; round <= ROUNDS; round++) {
    const [from, to] = round % 2 === 0 ? (['left', 'right'] as const) : (['right', 'left'] as const);
    const move = () =>
      owner.call('PATCH', `/messages/${random.pick(ids)}`, {
        stream_id: streams.get(to)!,
        topic: `t${round + 1}`,
        propagate_mode: 'change_all',
        send_notification_to_old_thread: true,
      });
    let going = true;
    const meanwhile = [
      repeat(
        () => going,
        async () => {
          const [id, emoji_name] = [random.pick(ids), random.pick(['tada', 'heart', 'wave', 'octopus'])];
          await other.ok('POST', `/messages/${id}/reactions`, { emoji_name });
          reacted.push(`${id} ${emoji_name}`);
        },
      ),
      repeat(
        () => going,
        async () => {
          const content = `late ${round} ${late.size} ${random.below(1e9)}`;
          const sent = await other.ok('POST', '/messages', { type: 'stream', to: from, topic: `t${round}`, content });
          late.set(content, sent.id as number);
        },
      ),
    ];
    const began = performance.now();
    const answer = move().then(
      ({ body }) => body.result,
      () => 'no answer',
    );
    // The first is undisturbed and tells how long it takes: until it is decided, and from then on.
    const decided = until('the decision', () => follower.events.length > round).then(() => performance.now() - began);
    if (round === 0) {
      await Promise.all([decided, answer]);
      usual = { decided: await decided, written: performance.now() - began - (await decided) };
      test.comment(`usually decided after ${Math.round(usual.decided)} ms, written ${Math.round(usual.written)} later`);
    } else {
      decided.catch(() => undefined);
      if (round % 3 === 0) await sleep(random.next() * usual.decided);
      else await decided.then(() => sleep(random.next() * usual.written));
      await crash(world);
    }
    const result = await answer;
    going = false;
    await Promise.all(meanwhile);

    const of = (messages: readonly Message[], place: string) =>
      messages.filter((one) => one.content.startsWith('big ') && one.stream_id === streams.get(place)).length;
    let now = await all();
    const atOnce = of(now, to);
    if (of(now, from) === SIZE) {
      if (result === 'success') test.fail('an acknowledged move is undone');
      test.equal((await move()).body.result, 'success', 'it can be asked for again');
    }
    const settled = async (): Promise<boolean> => {
      now = await all();
      return of(now, to) === SIZE;
    };
    await until('all messages in the new place', settled, 15_000);
    test.comment(`round ${round}: ${result}; ${atOnce} of ${SIZE} moved when it was up again`);
    const big = now.filter((one) => one.content.startsWith('big '));
    test.strictSame(
      [
        big.length,
        notOnce(
          ids,
          big.map(({ id }) => id),
        ),
        new Set(big.map(({ subject }) => subject)),
      ],
      [SIZE, [], new Set([`t${round + 1}`])],
      'every message is in the new place once',
    );
    const entries = counts(big.map(({ edit_history: history = [] }) => history.length));
    test.strictSame([...entries], [[round + 1, SIZE]], 'the history of each has one entry per move');
    const shown = now.flatMap(({ id, reactions }) => reactions.map((one) => `${id} ${one.emoji_name}`));
    test.strictSame(
      [...new Set(reacted)].filter((one) => !shown.includes(one)),
      [],
      `${reacted.length} reactions are kept`,
    );
    test.equal(new Set(shown).size, shown.length, 'none is doubled');
    const lateNow = now.filter((one) => one.content.startsWith('late ')).map(({ content }) => content);
    test.strictSame(notOnce(late.keys(), lateNow), [], `${late.size} messages sent meanwhile are in one place`);
  }

  const notices = (await all())
    .map(({ content }) => content)
    .filter((content) => content.includes('This topic was moved'));
  const wanted = Array.from({ length: ROUNDS + 1 }, (_, round) => [`>t${round}**`, `>t${round + 1}**`]);
  const got = wanted.map(([from, to]) => [
    notices.filter((text) => text.includes(`moved here from`) && text.includes(from!)).length,
    notices.filter((text) => text.includes(`moved to`) && text.includes(to!)).length,
  ]);
  test.strictSame(
    got,
    wanted.map(() => [1, 1]),
    'both places were told once of every move',
  );
  await until('the events of all moves', () => follower.events.length > ROUNDS);
  test.strictSame(faultsOf(follower), []);
  test.strictSame(
    follower.events.map((event) => event.orig_subject),
    wanted.map((_, round) => `t${round}`),
    'the queue had each move once',
  );
  const lost = follower.events.map((event) => notOnce(ids, event.message_ids as number[]).length);
  test.strictSame(
    lost,
    wanted.map(() => 0),
    'with all its messages',
  );
});

/** @returns ids of that many messages in one topic */
async function fill(api: Api, size: number): Promise<number[]> {
  const ids: number[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < size) {
      const to = { type: 'stream', to: 'left', topic: 't0', content: `big ${next++}` };
      ids.push((await api.ok('POST', '/messages', to)).id as number);
    }
  };
  await Promise.all(Array.from({ length: 40 }, lane));
  return ids;
}

/** Until it is over or the server is gone. */
async function repeat(going: () => boolean, what: () => Promise<void>): Promise<void> {
  while (going()) {
    try {
      await what();
    } catch {
      await sleep(20);
    }
  }
}

type Fact = string | undefined;

/** What each thing must be: one value, or several where the server gave no answer. */
class Facts {
  readonly #possible = new Map<string, ReadonlySet<Fact>>();
  acknowledged = 0;

  /** @throws what `ask` throws, when it is uncertain */
  async attempt(values: Readonly<Record<string, Fact>>, ask: () => Promise<unknown>): Promise<void> {
    for (const [name, value] of Object.entries(values)) this.#possible.set(name, new Set([...this.of(name), value]));
    await ask();
    for (const [name, value] of Object.entries(values)) this.#possible.set(name, new Set([value]));
    this.acknowledged++;
  }

  of(name: string): ReadonlySet<Fact> {
    return this.#possible.get(name) ?? new Set([undefined]);
  }

  /** What is not as it may be; from now on things are what they are. */
  faults(actual: ReadonlyMap<string, Fact>): string[] {
    const faults: string[] = [];
    for (const name of new Set([...this.#possible.keys(), ...actual.keys()])) {
      const value = actual.get(name);
      if (!this.of(name).has(value)) faults.push(`${name} is ${value}, not ${[...this.of(name)].join(' or ')}`);
      this.#possible.set(name, new Set([value]));
    }
    return faults;
  }
}

t.test('flags, marks, reactions, edits and drafts are there after kill -9', async (test) => {
  const world = await begin(test, 3, ['general']);
  const { owner, other, random, streams } = world;
  const KILLS = 6;
  const ids: number[] = [];
  for (let n = 0; n < 30; n++) ids.push(await owner.send('general', `edit ${n}.0`));
  const facts = new Facts();
  const drafts = new Map<string, number>();
  const anchors = new Set(ids);

  const actual = async (): Promise<Map<string, Fact>> => {
    const found = new Map<string, Fact>();
    for (const { id, content, flags, reactions } of await other.history('general')) {
      if (!anchors.has(id)) continue;
      found.set(`text ${id}`, content);
      for (const flag of flags) found.set(`${flag} ${id}`, 'set');
      for (const { user_id, emoji_name } of reactions) found.set(`${emoji_name} of ${user_id} ${id}`, 'set');
    }
    drafts.clear();
    const own = (await other.ok('GET', '/drafts')).drafts as { id: number; content: string }[];
    for (const { id, content } of own) {
      const name = content.split('.')[0]!;
      if (found.has(name)) found.set(name, 'twice');
      else found.set(name, content);
      drafts.set(name, id);
    }
    return found;
  };
  // Begins with what is.
  facts.faults(await actual());
  const me = await myId(other);
  let version = 0;
  const setFlag = async () => {
    const [flag, op] = [random.pick(['read', 'starred', 'collapsed']), random.pick(['add', 'remove'])];
    const some = [random.pick(ids), random.pick(ids), random.pick(ids)];
    const values = Object.fromEntries(some.map((id) => [`${flag} ${id}`, op === 'add' ? 'set' : undefined]));
    await facts.attempt(values, () => other.ok('POST', '/messages/flags', { messages: some, flag, op }));
  };
  const markStream = () =>
    facts.attempt(Object.fromEntries(ids.map((id) => [`read ${id}`, 'set'])), () =>
      other.ok('POST', '/mark_stream_as_read', { stream_id: streams.get('general') }),
    );
  const react = async () => {
    const [id, emoji_name] = [random.pick(ids), random.pick(['tada', 'heart'])];
    const name = `${emoji_name} of ${me} ${id}`;
    const has = facts.of(name).has('set');
    await facts.attempt({ [name]: has ? undefined : 'set' }, () =>
      other.ok(has ? 'DELETE' : 'POST', `/messages/${id}/reactions`, { emoji_name }),
    );
  };
  const edit = async () => {
    const id = random.pick(ids);
    const content = `edit ${id}.${++version}`;
    await facts.attempt({ [`text ${id}`]: content }, () => owner.ok('PATCH', `/messages/${id}`, { content }));
  };
  const draft = async () => {
    const name = `draft ${random.below(12)}`;
    const content = `${name}.${++version}`;
    const body = { type: '', to: [], topic: '', content };
    const id = drafts.get(name);
    if (id === undefined) {
      await facts.attempt({ [name]: content }, async () => {
        drafts.set(name, ((await other.ok('POST', '/drafts', { drafts: [body] })).ids as number[])[0]!);
      });
    } else if (random.chance(0.3)) {
      await facts.attempt({ [name]: undefined }, () => other.ok('DELETE', `/drafts/${id}`));
      drafts.delete(name);
    } else {
      await facts.attempt({ [name]: content }, () => other.ok('PATCH', `/drafts/${id}`, { draft: body }));
    }
  };

  for (let kill = 0; kill < KILLS; kill++) {
    let [going, refused] = [true, ''];
    // Each ends at its first failure: what it asked last is uncertain.
    const lane = async (what: readonly (() => Promise<void>)[]): Promise<void> => {
      try {
        while (going) await random.pick(what)();
      } catch (error) {
        if (going) refused = String(error);
      }
    };
    const lanes = [lane([setFlag, setFlag, setFlag, setFlag, markStream]), lane([react]), lane([edit]), lane([draft])];
    const before = facts.acknowledged;
    const goal = before + 50 + random.below(250);
    await until('acknowledged changes', () => facts.acknowledged >= goal || refused !== '');
    test.equal(refused, '', 'nothing was refused');
    await sleep(random.next() * 5);
    going = false;
    await world.face.server.kill();
    await Promise.all(lanes);
    await world.face.up();
    test.strictSame(
      facts.faults(await actual()),
      [],
      `${facts.acknowledged - before} acknowledged changes are there after the kill`,
    );
  }
});
