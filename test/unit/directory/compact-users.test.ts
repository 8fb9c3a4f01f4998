import fc from 'fast-check';
import t from 'tap';
import type { DirectoryUser } from '#model/records';
import { CommonFieldsPool, compactUser } from '../../../src/directory/collections/compact-user.js';
import { IdsByKey } from '../../../src/directory/collections/ids-by-key.js';
import { directoryWith } from '../../support/directory.js';
import { person } from '../../support/person.js';
import { rounds } from '../../support/rounds.js';

const NAMES = Object.keys({ ...person(8), avatar: null, rateLimits: '' }) as (keyof DirectoryUser)[];
const valuesOf = (user: DirectoryUser) => NAMES.map((name) => [name, user[name] ?? null]);

const hash = fc.stringMatching(/^[0-9a-f]{64}$/);
const text = fc.oneof(fc.string(), fc.string({ minLength: 31, maxLength: 33 }), fc.constant('ä@€.example'));

t.test('a compact record has every value of the record', async (t) => {
  const shape = fc.record({
    email: text,
    deliveryEmail: text,
    fullName: text,
    keyHash: fc.oneof(hash, text),
    role: fc.oneof(fc.constantFrom(100, 200, 300, 400, 600), fc.integer()),
    isActive: fc.boolean(),
    isBillingAdmin: fc.boolean(),
    botType: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 9 })),
    botOwner: fc.constantFrom(null, 8 as never),
    timezone: fc.constantFrom('', 'Europe/Paris'),
    avatarSource: fc.constantFrom('G' as const, 'U' as const),
    avatarVersion: fc.integer({ min: 1, max: 3 }),
    avatar: fc.constantFrom(null, { realm: 1 as never, hash: 'h', number: 1 }),
    emailVisibility: fc.integer({ min: 0, max: 9 }),
    joined: fc.oneof(fc.integer({ min: 0, max: 5_000_000_000_000 }), fc.double({ noNaN: true }), fc.integer()),
    pastRoles: fc.constantFrom([], [[400, 3] as const]),
  });
  const pool = new CommonFieldsPool();
  fc.assert(
    fc.property(shape, fc.option(fc.string(), { nil: undefined }), (over, rateLimits) => {
      const user = person(8, rateLimits === undefined ? over : { ...over, rateLimits });
      return JSON.stringify(valuesOf(compactUser(user, pool))) === JSON.stringify(valuesOf(user));
    }),
    { numRuns: rounds(700, 2_000) },
  );
  t.pass();
});

t.test('an index of texts agrees with a map, whatever is added and removed', async (t) => {
  const key = fc.integer({ min: 0, max: 60 }).map(String);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), key, key), { maxLength: 200 }), (turns) => {
      const keysById = new Map<number, readonly string[]>();
      const index = new IdsByKey(
        (id, one) => keysById.get(id)?.includes(one) === true,
        (id) => keysById.get(id) ?? [],
      );
      for (const [id, first, second] of turns) {
        // Texts are unique: another record loses its own before it may be given away.
        for (const [other, keys] of keysById)
          if (other !== id && (keys.includes(first) || keys.includes(second))) {
            for (const one of keys) index.remove(one, other);
            keysById.delete(other);
          }
        for (const one of keysById.get(id) ?? []) index.remove(one, id);
        keysById.set(id, [first, second]);
        index.add(first, id);
        index.add(second, id);
        for (let n = 0; n <= 60; n++) {
          const expected = [...keysById].find(([, keys]) => keys.includes(String(n)))?.[0];
          if (index.find(String(n)) !== expected) return false;
        }
      }
      return true;
    }),
    { numRuns: 200 },
  );
  t.pass();
});

t.test('accounts are found by all their addresses and by their key, also after changes', async (t) => {
  const users = Array.from({ length: 500 }, (_, i) =>
    person(8 + i, { email: `user${i}@x.example`, deliveryEmail: `Real${i}@x.example`, keyHash: `key ${i}` }),
  );
  const directory = directoryWith({ users });
  t.equal(directory.userByEmail('USER77@x.example')?.id, 85);
  t.equal(directory.userByEmail('real77@X.example')?.id, 85);
  t.equal(directory.userByApiEmail('USER77@x.example')?.id, 85);
  t.equal(directory.userByApiEmail('real77@x.example'), undefined);
  t.equal(directory.userByKeyHash('key 77')?.id, 85);
  directory.applyChange({ user: { ...users[77]!, email: 'new@x.example', keyHash: 'other' } });
  t.equal(directory.userByEmail('user77@x.example'), undefined);
  t.equal(directory.userByEmail('real77@x.example')?.id, 85);
  t.equal(directory.userByEmail('New@x.example')?.email, 'new@x.example');
  t.equal(directory.userByKeyHash('key 77'), undefined);
  t.equal(directory.userByKeyHash('other')?.id, 85);
  t.equal(directory.userByKeyHash(''), undefined);
});
