/** users.md § Custom profile data: rules that hold whatever is sent. */
import fc from 'fast-check';
import t from 'tap';
import {
  computeOptionAddedVersions,
  formatProfileForApi,
  PROFILE_FIELD_TYPE,
  type SchemaValidProfileValue,
  toCheckedStoredProfileValue,
} from '#domain/people';
import { toUserId } from '#model';
import { ApiError } from '#model/errors';
import type { DirectoryProfileField, ProfileFieldValue } from '#model/records';
import { ANY_CODE_POINT } from '../../support/any-text.js';
import { person } from '../../support/person.js';

const OPTIONS = JSON.stringify({ a: { text: 'A', order: '1' }, b: { text: 'B', order: '2' } });
const field = (type: number): DirectoryProfileField => ({
  id: 1,
  type,
  name: 'Label',
  hint: '',
  data: type === PROFILE_FIELD_TYPE.select ? OPTIONS : '',
  order: 1,
  inSummary: false,
  added: [],
});

const PEOPLE = [person(8), person(9), person(10, { isActive: false }), person(11, { botType: 1 })];
const find = (id: number) => PEOPLE.find((one) => one.id === id);

/** @returns the message of the refusal. @throws any other error */
function refusal(type: number, value: SchemaValidProfileValue): string | undefined {
  try {
    toCheckedStoredProfileValue(field(type), value, find);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

const length = (value: string): number => [...value].length;
const RULES: Readonly<Record<number, (value: string, given: SchemaValidProfileValue) => boolean>> = {
  1: (value, given) => value === given && length(value) <= 50,
  2: (value, given) => value === given && length(value) <= 500,
  3: (value, given) => value === given && ['a', 'b'].includes(value),
  4: (value, given) => value === given && new Date(`${value}T00:00:00Z`).toISOString().startsWith(value),
  5: (value, given) => value === given && ['http:', 'https:', 'ftp:', 'ftps:'].includes(new URL(value).protocol),
  6: (value, given) =>
    JSON.stringify([...new Set(given as readonly number[])]) === value && /^\[((8|9)(,(8|9))*)?\]$/.test(value),
  7: (value, given) => value === given && length(value) <= 50,
  8: (value, given) => value === given && length(value) <= 50,
};

/** `fc.webUrl` first makes the table that ANY_CODE_POINT avoids. */
const webAddress = fc
  .tuple(fc.domain(), fc.string({ unit: ANY_CODE_POINT, maxLength: 20 }))
  .map(([host, path]) => `https://${host}/${encodeURIComponent(path)}`);

const given: fc.Arbitrary<SchemaValidProfileValue> = fc.oneof(
  fc.string({ unit: ANY_CODE_POINT, maxLength: 60 }),
  fc.string({ unit: 'grapheme', minLength: 480, maxLength: 520 }),
  fc.constantFrom('', 'a', 'b', 'c', 'constructor', '__proto__'),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
  fc.stringMatching(/^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}$/),
  webAddress,
  fc.array(fc.constantFrom(8, 9), { maxLength: 5 }),
  fc.array(fc.constantFrom(8, 9, 10, 11, 12, 0, -1, 2 ** 53), { maxLength: 5 }),
);

t.test('accepted values of each type obey its rule, and only refusals are thrown', async (test) => {
  for (const type of Object.values(PROFILE_FIELD_TYPE)) {
    let taken = 0;
    fc.assert(
      fc.property(given, (value) => {
        if (refusal(type, value) !== undefined) return;
        taken++;
        if (!RULES[type]!(toCheckedStoredProfileValue(field(type), value, find), value))
          throw new Error('taken against the rule');
      }),
      { numRuns: 1_000 },
    );
    test.ok(taken > 10, `${taken} of type ${type} were taken`);
  }
});

t.test('users who cannot be picked are refused with the reason', async (test) => {
  const of = (...list: number[]) => refusal(PROFILE_FIELD_TYPE.person, list);
  test.equal(of(8, 12), 'Invalid user ID: 12');
  test.equal(of(8, 10, 12), 'User with ID 10 is deactivated');
  test.equal(of(11), 'User with ID 11 is a bot');
  test.equal(of(), undefined);
  test.equal(refusal(PROFILE_FIELD_TYPE.person, '8'), 'User IDs is not a list');
});

t.test('dates that do not exist are refused', async (test) => {
  for (const day of ['2023-02-29', '2023-13-01', '2023-00-10', '2023-04-31', '0000-01-01', '2023-1-1']) {
    test.equal(refusal(PROFILE_FIELD_TYPE.date, day), 'Label is not a date', day);
  }
  for (const day of ['2024-02-29', '0001-01-01', '9999-12-31'])
    test.equal(refusal(PROFILE_FIELD_TYPE.date, day), undefined, day);
});

const keys = ['a', 'b', 'c'];
const optionData = (list: readonly string[]): string =>
  JSON.stringify(Object.fromEntries(list.map((key) => [key, { text: key, order: '1' }])));
const step = fc.oneof(
  fc.record({ choose: fc.constantFrom(...keys), user: fc.nat(1) }),
  fc.record({ options: fc.subarray(keys, { minLength: 1 }) }),
);

t.test('values of removed options are gone for good, as if deleted with the option', async (test) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let now: DirectoryProfileField = { ...field(PROFILE_FIELD_TYPE.select), data: optionData(keys) };
      const stored = [new Map<string, ProfileFieldValue>(), new Map<string, ProfileFieldValue>()];
      const model: (string | undefined)[] = [undefined, undefined];
      for (const [i, change] of steps.entries()) {
        const version = i + 1;
        if ('options' in change) {
          const data = optionData(change.options);
          now = { ...now, data, added: computeOptionAddedVersions(now, data, version) };
          for (const user of [0, 1]) if (!change.options.includes(model[user] ?? 'a')) model[user] = undefined;
        } else if (Object.keys(JSON.parse(now.data) as object).includes(change.choose)) {
          stored[change.user]!.set('1', { value: change.choose, rendered: '', at: version });
          model[change.user] = change.choose;
        }
        for (const user of [0, 1]) {
          const profile = { user: toUserId(8 + user), values: Object.fromEntries(stored[user]!) };
          const expected = model[user] === undefined ? {} : { 1: { value: model[user] } };
          test.same(formatProfileForApi(profile, [now]), expected);
        }
      }
    }),
    { numRuns: 300 },
  );
});
