/** The check of a custom mix, and its default values. */
import t from 'tap';
import { ACTIONS, DEFAULT_MIX, mixOf } from '../../load/mix.js';

t.test('the default mix is valid, has every action, and survives JSON', async (test) => {
  test.strictSame(mixOf(JSON.parse(JSON.stringify(DEFAULT_MIX))), DEFAULT_MIX);
  test.strictSame(new Set(DEFAULT_MIX.actions.map(({ action }) => action)), new Set(ACTIONS));
});

t.test('omitted fields of a mix have their default values', async (test) => {
  const mix = mixOf({ topics: 3 });
  test.strictSame(mix, { ...DEFAULT_MIX, topics: 3 });
});

t.test('a mix with an invalid field is refused with its name', async (test) => {
  const refused: readonly [unknown, RegExp][] = [
    [[], /not an object/],
    [{ actoins: [] }, /unknown field actoins/],
    [{ topics: 'many' }, /topics is of the wrong type/],
    [{ texts: null }, /texts is of the wrong type/],
    [{ actions: [{ action: 'shout', perMinute: 1 }] }, /actions\[0\]: no action 'shout'/],
    [{ actions: [{ action: 'search' }] }, /needs exactly one of/],
    [{ actions: [{ action: 'search', perMinute: 1, perSent: 1 }] }, /needs exactly one of/],
    [{ actions: [{ action: 'search', perMinute: -1 }] }, /perMinute is not a number/],
    [{ actions: [{ action: 'search', perMinute: Number.NaN }] }, /perMinute is not a number/],
    [{ actions: [{ action: 'search', perMinute: 1, speed: 9 }] }, /unknown field speed/],
    [{ actions: [{ action: 'react', perMinute: 1 }] }, /react goes with perReceived/],
    [{ actions: [{ action: 'presence', everySeconds: 0 }] }, /everySeconds is less/],
    [{ emoji: [] }, /emoji is empty/],
    [{ client: 'a\r\nX-Evil: 1' }, /line end/],
  ];
  for (const [given, reason] of refused) test.throws(() => mixOf(given), reason, JSON.stringify(given));
});
