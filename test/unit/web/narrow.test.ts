import fc from 'fast-check';
import t from 'tap';
import {
  type AddressNameLookup,
  decodeHashPart,
  encodeHashPart,
  findExactNarrowConversation,
  formatNarrowHash,
  formatRouteHash,
  makeConversationKey,
  type Narrow,
  type NarrowTerm,
  parseNarrowHash,
  parseRoute,
  type Route,
} from '../../../web/src/core/index.js';

const STREAMS = new Map([
  [1, 'general'],
  [12, 'plans for 2024'],
  [13, '2024-plans'],
  [14, 'été/(draft) 100%'],
]);

const NAMES: AddressNameLookup = {
  ownUserId: 5,
  streamName: (id) => STREAMS.get(id),
  findStreamIdByName: (name) => [...STREAMS].find(([, of]) => of === name)?.[0],
  userName: (id) => (id < 50 ? `User №${id}.` : undefined),
};

const text = fc.string({ minLength: 1, unit: 'grapheme' });
const id = fc.integer({ min: 1, max: 60 });
const users = fc
  .uniqueArray(id, { minLength: 1, maxLength: 4 })
  .map((ids) => ids.filter((one) => one !== NAMES.ownUserId || ids.length === 1).sort((a, b) => a - b))
  .filter((ids) => ids.length > 0);

const term: fc.Arbitrary<NarrowTerm> = fc.oneof(
  id.map((operand): NarrowTerm => ({ operator: 'stream', operand })),
  text.map((operand): NarrowTerm => ({ operator: 'topic', operand })),
  users.map((operand): NarrowTerm => ({ operator: 'dm', operand })),
  id.map((operand): NarrowTerm => ({ operator: 'sender', operand })),
  id.map((operand): NarrowTerm => ({ operator: 'dm-including', operand })),
  fc.constantFrom('starred', 'mentioned', 'unread', 'dm').map((operand): NarrowTerm => ({ operator: 'is', operand })),
  fc.constantFrom('link', 'image').map((operand): NarrowTerm => ({ operator: 'has', operand })),
  text.map((operand): NarrowTerm => ({ operator: 'search', operand })),
);
const negatable = fc
  .tuple(term, fc.boolean())
  .map(([of, negated]): NarrowTerm => (negated ? { ...of, negated: true } : of));

t.test(
  'a part of an address is decoded to the text that was encoded, and has no character that ends a link',
  async (t) => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (of) => {
        const part = encodeHashPart(of);
        return decodeHashPart(part) === of && /^[\w.-]*$/.test(part);
      }),
    );
    t.equal(encodeHashPart('a b (c) 1.5%'), 'a.20b.20.28c.29.201.2E5.25');
  },
);

t.test('every narrow is read back from its address', async () => {
  fc.assert(
    fc.property(
      fc.array(negatable, { minLength: 1, maxLength: 4 }),
      fc.option(fc.integer({ min: 1, max: 1e9 }), { nil: undefined }),
      (narrow, near) => {
        const read = parseNarrowHash(formatNarrowHash(narrow, NAMES, near), NAMES);
        return JSON.stringify(read) === JSON.stringify(near === undefined ? { narrow } : { narrow, near });
      },
    ),
  );
});

t.test('every address is a route, and a route leads back to itself', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (of) => {
      const route = parseRoute(`#${of}`, NAMES);
      const again = parseRoute(formatRouteHash(route, NAMES), NAMES);
      return JSON.stringify(again) === JSON.stringify(route);
    }),
  );
  const routes: Route[] = [
    { view: 'inbox' },
    { view: 'settings', parts: ['display'] },
    { view: 'sign-in', parts: ['to/ken.'] },
    { view: 'narrow', narrow: [], near: 7 },
  ];
  for (const route of routes) t.strictSame(parseRoute(formatRouteHash(route, NAMES), NAMES), route);
  t.strictSame(parseRoute('', NAMES), { view: 'home' });
});

t.test('addresses that other clients write', async (t) => {
  t.strictSame(parseRoute('#feed', NAMES), { view: 'narrow', narrow: [] });
  t.strictSame(parseRoute('#channels/all', NAMES), { view: 'streams', parts: ['all'] });
  t.match(parseRoute('#channelsurfing', NAMES), { view: 'unknown' });
  const narrow = (hash: string): Narrow | undefined => parseNarrowHash(hash, NAMES)?.narrow;
  const topic = (stream: number | string, of: string): Narrow => [
    { operator: 'stream', operand: stream },
    { operator: 'topic', operand: of },
  ];
  t.strictSame(parseNarrowHash('#narrow/stream/12-plans-for-2024/topic/a.20b/near/5', NAMES), {
    narrow: topic(12, 'a b'),
    near: 5,
  });
  t.strictSame(parseNarrowHash('#narrow/channel/12-x/topic/a/with/9', NAMES), { narrow: topic(12, 'a'), near: 9 });
  t.strictSame(narrow('#narrow/stream/general'), [{ operator: 'stream', operand: 1 }], 'a name alone');
  t.strictSame(narrow('#narrow/stream/plans-for-2024'), [{ operator: 'stream', operand: 12 }], 'a name with dashes');
  t.strictSame(narrow('#narrow/stream/2024-plans'), [{ operator: 'stream', operand: 13 }], 'a name like an id');
  t.strictSame(narrow('#narrow/stream/99-gone'), [{ operator: 'stream', operand: 99 }]);
  t.strictSame(narrow('#narrow/pm-with/5,7-pair'), [{ operator: 'dm', operand: [7] }], 'without oneself');
  t.strictSame(narrow('#narrow/dm/5-me'), [{ operator: 'dm', operand: [5] }], 'notes to oneself');
  t.strictSame(narrow('#narrow/is/private'), [{ operator: 'is', operand: 'dm' }]);
  t.strictSame(narrow('#narrow/-sender/7-user'), [{ operator: 'sender', operand: 7, negated: true }]);
  t.equal(narrow('#narrow/nonsense/7'), undefined);
  t.equal(narrow('#narrow/dm/nobody'), undefined);
  for (const word of ['constructor', 'toString', '__proto__']) t.equal(narrow(`#narrow/${word}/7`), undefined, word);
  const long = '9'.repeat(17);
  t.strictSame(parseNarrowHash(`#narrow/is/starred/near/${long}`, NAMES), { narrow: narrow('#narrow/is/starred') });
  t.strictSame(narrow(`#narrow/stream/${long}`), [{ operator: 'stream', operand: long }], 'no id has so many digits');
});

t.test('a conversation is found in its narrow, in any case of the topic', async (t) => {
  const of = findExactNarrowConversation([
    { operator: 'topic', operand: 'Plans' },
    { operator: 'stream', operand: 3 },
  ]);
  t.strictSame(of, { stream: 3, topic: 'Plans' });
  t.equal(makeConversationKey(of!), makeConversationKey({ stream: 3, topic: 'plANS' }));
  t.equal(findExactNarrowConversation([{ operator: 'stream', operand: 3 }]), undefined);
  t.equal(findExactNarrowConversation([{ operator: 'dm', operand: [3], negated: true }]), undefined);
});
