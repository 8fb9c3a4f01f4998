/** realm.md § Custom profile fields: rules that hold whatever is sent. */
import fc from 'fast-check';
import t from 'tap';
import {
  type CheckedProfileField,
  formatProfileFieldForApi,
  isDefaultExternalAccountField,
  PROFILE_FIELD_TYPE,
  type ProfileFieldDataInput,
  requireRoomInProfileSummary,
  toCheckedProfileField,
  withProfileFieldsReordered,
  withPronounsAsShortText,
} from '#domain/people';
import { ApiError } from '#model/errors';
import type { DirectoryProfileField } from '#model/records';
import { ANY_CODE_POINT } from '../../support/any-text.js';

const field = (id: number, over: Partial<DirectoryProfileField> = {}): DirectoryProfileField => ({
  id,
  type: 1,
  name: `field ${id}`,
  hint: '',
  data: '',
  order: id,
  inSummary: false,
  added: [],
  ...over,
});

const ids = fc.uniqueArray(fc.nat(20), { maxLength: 8 });

/** @returns undefined for a refusal. @throws any other error */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

t.test('an order is accepted exactly if it names every field; the last place of each counts', async (test) => {
  fc.assert(
    fc.property(ids, fc.array(fc.integer({ min: -1, max: 25 }), { maxLength: 20 }), (known, order) => {
      const fields = known.map((id) => field(id));
      const moved = attempt(() => withProfileFieldsReordered(fields, order));
      test.equal(
        moved !== undefined,
        known.every((id) => order.includes(id)),
      );
      if (!moved) return;
      test.same(moved.map(({ id }) => id).sort(), [...known].sort(), 'none is lost, none is new');
      for (const { id, order: place } of moved) test.equal(place, order.lastIndexOf(id));
      const places = moved.map(({ order: place }) => place);
      test.same(
        places,
        [...places].sort((a, b) => a - b),
      );
      test.same(withProfileFieldsReordered(moved, order), moved, 'the same again');
    }),
  );
});

t.test('any order of the fields is possible', async (test) => {
  const shuffled = ids.chain((known) =>
    fc.tuple(fc.constant(known), fc.shuffledSubarray(known, { minLength: known.length })),
  );
  fc.assert(
    fc.property(shuffled, ([known, order]) => {
      test.same(
        withProfileFieldsReordered(
          known.map((id) => field(id)),
          order,
        ).map(({ id }) => id),
        order,
      );
    }),
  );
});

const text = fc.oneof(
  fc.string({ unit: ANY_CODE_POINT }),
  fc.constantFrom('', ' ', 'text', 'order', 'subtype', 'custom'),
);
const option = fc.record({ text, order: text }, { requiredKeys: [] });
const account = fc.record(
  {
    subtype: fc.constantFrom('custom', 'twitter', 'github', 'x', ''),
    url_pattern: fc.oneof(
      text,
      fc.constantFrom('https://example.com/%(username)s', '%(username)s', 'https://%(username)s.example.com'),
    ),
  },
  { requiredKeys: [] },
);
const data = fc.oneof(
  fc.dictionary(text, fc.oneof(text, option, fc.dictionary(text, text))),
  fc.dictionary(text, option),
  account,
) as fc.Arbitrary<ProfileFieldDataInput>;
const content = fc.record({
  name: fc.oneof(text, fc.string({ unit: 'grapheme', maxLength: 60 })),
  hint: fc.oneof(text, fc.string({ unit: 'grapheme', maxLength: 100 })),
  data,
  inSummary: fc.boolean(),
});

function holds(type: number, { name, hint, data: stored, inSummary }: CheckedProfileField): boolean {
  const lengths = [...name].length <= 40 && [...hint].length <= 80 && name.trim() !== '';
  const summary = !inSummary || (type !== PROFILE_FIELD_TYPE.longText && type !== PROFILE_FIELD_TYPE.person);
  if (type !== PROFILE_FIELD_TYPE.select && type !== PROFILE_FIELD_TYPE.externalAccount)
    return lengths && summary && stored === '';
  const parsed = JSON.parse(stored) as Record<string, { text: string; order: string }>;
  if (type === PROFILE_FIELD_TYPE.externalAccount) {
    const { subtype, url_pattern, ...rest } = parsed as unknown as Record<string, string>;
    const custom = subtype === 'custom' && url_pattern!.split('%(username)s').length === 2;
    return (
      Object.keys(rest).length === 0 && lengths && (custom || isDefaultExternalAccountField({ type, data: stored }))
    );
  }
  const texts = Object.values(parsed).map((one) => one.text);
  const exact = Object.values(parsed).every((one) => Object.keys(one).sort().join() === 'order,text');
  return lengths && exact && texts.length > 0 && new Set(texts).size === texts.length;
}

t.test('accepted values obey the rules, others are refused, and no other error is thrown', async (test) => {
  let taken = 0;
  fc.assert(
    fc.property(fc.integer({ min: -1, max: 10 }), content, (type, given) => {
      const checked = attempt(() => toCheckedProfileField(type, given));
      if (!checked) return;
      taken++;
      // The text is not in the test's name, because tap parses names and some texts have a meaning there.
      test.ok(type >= 1 && type <= 8 && holds(type, checked), 'it obeys the rules', { given: JSON.stringify(given) });
      const again = {
        ...checked,
        data: checked.data === '' ? {} : (JSON.parse(checked.data) as ProfileFieldDataInput),
      };
      test.same(toCheckedProfileField(type, again), checked, 'as it is stored it would be taken again');
    }),
    { numRuns: 2_000 },
  );
  test.ok(taken > 100, 'many were taken');
});

t.test('at most two fields are in the summary', async (test) => {
  const shown = (count: number) => Array.from({ length: 4 }, (_, i) => field(i, { inSummary: i < count }));
  test.doesNotThrow(() => requireRoomInProfileSummary(shown(1)));
  for (const count of [2, 3]) test.throws(() => requireRoomInProfileSummary(shown(count)), { name: 'ApiError' });
});

t.test(
  'a field is shown with the summary only if it is in it; older clients get pronouns as short text',
  async (test) => {
    test.same(formatProfileFieldForApi(field(3, { inSummary: true })), {
      ...{ id: 3, name: 'field 3', type: 1, hint: '', field_data: '', order: 3 },
      display_in_profile_summary: true,
    });
    test.notOk('display_in_profile_summary' in formatProfileFieldForApi(field(3)));
    const types = withPronounsAsShortText([1, 8, 3].map((type) => field(type, { type }))).map(({ type }) => type);
    test.same(types, [1, 1, 3]);
  },
);
