/** Test that acknowledged changes of many kinds survive kills in the middle of such changes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { NEWEST_API_LEVEL } from '../../api/support/levels.js';
import { rounds } from '../../support/rounds.js';
import { myId } from './api.js';
import { startCrashTest } from './crash-test.js';
import type { Embedded } from './face.js';
import { until } from './wait.js';

type Fact = string | undefined;

/** Possible values of each fact: one value, or several after a change without a response. */
class ExpectedFacts {
  readonly #possible = new Map<string, ReadonlySet<Fact>>();
  acknowledged = 0;

  /** @throws the error of `ask`; the fact then keeps both its old and its new value */
  async attempt(values: Readonly<Record<string, Fact>>, request: () => Promise<unknown>): Promise<void> {
    for (const [name, value] of Object.entries(values)) this.#possible.set(name, new Set([...this.of(name), value]));
    await request();
    for (const [name, value] of Object.entries(values)) this.#possible.set(name, new Set([value]));
    this.acknowledged++;
  }

  of(name: string): ReadonlySet<Fact> {
    return this.#possible.get(name) ?? new Set([undefined]);
  }

  /** Facts whose actual value is impossible. The actual values become the only possible ones. */
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

export async function testChanges(test: Test, face: Embedded): Promise<void> {
  const crashTest = await startCrashTest(face, 3, ['general']);
  const { owner, other, random, streams } = crashTest;
  const KILL_COUNT = rounds(1, 5);
  const ids: number[] = [];
  for (let n = 0; n < 30; n++) ids.push(await owner.send('general', `edit ${n}.0`));
  const facts = new ExpectedFacts();
  /** Ids of drafts and saved snippets by name. */
  const ownIds = new Map<string, number>();
  const newer = other.atLevel(NEWEST_API_LEVEL);
  const anchors = new Set(ids);

  const actual = async (): Promise<Map<string, Fact>> => {
    const found = new Map<string, Fact>();
    for (const { id, content, flags, reactions } of await other.history('general')) {
      if (!anchors.has(id)) continue;
      found.set(`text ${id}`, content);
      for (const flag of flags) found.set(`${flag} ${id}`, 'set');
      for (const { user_id, emoji_name } of reactions) found.set(`${emoji_name} of ${user_id} ${id}`, 'set');
    }
    ownIds.clear();
    const drafts = (await other.ok('GET', '/drafts')).drafts;
    const snippets = (await newer.ok('GET', '/saved_snippets')).saved_snippets;
    for (const { id, content } of [drafts, snippets].flat() as { id: number; content: string }[]) {
      const name = content.split('.')[0]!;
      if (found.has(name)) found.set(name, 'twice');
      else found.set(name, content);
      ownIds.set(name, id);
    }
    const { user_topics } = await newer.ok('POST', '/register', { fetch_event_types: ['user_topic'] });
    for (const { topic_name, visibility_policy } of user_topics as { topic_name: string; visibility_policy: number }[])
      found.set(topic_name, String(visibility_policy));
    return found;
  };
  // Take the initial state as the expected one.
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
  /** Creates, changes or removes a draft or snippet of the user. */
  const changeOwnItem = async (
    name: string,
    content: string,
    by: {
      make(): Promise<number>;
      change(id: number): Promise<unknown>;
      remove(id: number): Promise<unknown>;
    },
  ): Promise<void> => {
    const id = ownIds.get(name);
    if (id === undefined) await facts.attempt({ [name]: content }, async () => ownIds.set(name, await by.make()));
    else if (random.chance(0.3)) {
      await facts.attempt({ [name]: undefined }, () => by.remove(id));
      ownIds.delete(name);
    } else await facts.attempt({ [name]: content }, () => by.change(id));
  };
  const draft = async () => {
    const name = `draft ${random.below(12)}`;
    const content = `${name}.${++version}`;
    const body = { type: '', to: [], topic: '', content };
    await changeOwnItem(name, content, {
      make: async () => ((await other.ok('POST', '/drafts', { drafts: [body] })).ids as number[])[0]!,
      change: (id) => other.ok('PATCH', `/drafts/${id}`, { draft: body }),
      remove: (id) => other.ok('DELETE', `/drafts/${id}`),
    });
  };
  const snippet = async () => {
    const name = `snippet ${random.below(12)}`;
    const content = `${name}.${++version}`;
    const path = '/saved_snippets';
    await changeOwnItem(name, content, {
      make: async () => (await newer.ok('POST', path, { title: name, content })).saved_snippet_id as number,
      change: (id) => newer.ok('PATCH', `${path}/${id}`, { content }),
      remove: (id) => newer.ok('DELETE', `${path}/${id}`),
    });
  };
  const follow = async () => {
    const [topic, policy] = [`followed ${random.below(12)}`, random.below(4)];
    const params = { stream_id: streams.get('general'), topic, visibility_policy: policy };
    await facts.attempt({ [topic]: policy === 0 ? undefined : String(policy) }, () =>
      newer.ok('POST', '/user_topics', params),
    );
  };

  for (let kill = 0; kill < KILL_COUNT; kill++) {
    let [isRunning, refusal] = [true, ''];
    // A lane stops at its first failure, because the result of its last request is unknown.
    const lane = async (what: readonly (() => Promise<void>)[]): Promise<void> => {
      try {
        while (isRunning) await random.pick(what)();
      } catch (error) {
        if (isRunning) refusal = String(error);
      }
    };
    const lanes = [
      lane([setFlag, setFlag, setFlag, setFlag, markStream]),
      lane([react]),
      lane([edit]),
      lane([draft, snippet, follow]),
    ];
    const before = facts.acknowledged;
    const goal = before + rounds(30, 50) + random.below(rounds(50, 250));
    await until('enough changes are acknowledged', () => facts.acknowledged >= goal || refusal !== '');
    test.equal(refusal, '', 'no change is refused');
    await sleep(random.next() * 5);
    isRunning = false;
    await crashTest.face.server.kill();
    await Promise.all(lanes);
    await crashTest.face.up();
    test.strictSame(
      facts.faults(await actual()),
      [],
      `${facts.acknowledged - before} acknowledged changes are kept by the kill`,
    );
  }
}
