/** `profile_data` of PATCH /users/{user_id}: users.md. */
import fc from 'fast-check';
import t from 'tap';
import type { Json } from '#base';
import { formatProfileForApi } from '#domain/people';
import type { ProfileFieldUpdate } from '#model/commands';
import type { DirectoryProfileField, DirectoryUserProfileValues } from '#model/records';
import { makeProfileEditCommit, renderProfileValues } from '../../../actors/realm/commands/preferences/profile-data.js';
import { PROFILE_FIELDS_PART_NAME, PROFILE_PART_PREFIX, USER_PART_PREFIX } from '../../../actors/realm/state.js';
import { person } from '../../support/person.js';

const field = (id: number, type: number): DirectoryProfileField => ({
  id,
  type,
  name: `field ${id}`,
  hint: '',
  data: '',
  order: id,
  inSummary: false,
  added: [],
});

const FIELDS = [field(1, 1), field(2, 4), field(3, 6), field(4, 8)];
const USER = person(8);

/** An account that stores its changes. */
class Account {
  readonly parts: Map<string, Json>;
  #version = 1;

  constructor(private readonly user = USER) {
    this.parts = new Map<string, unknown>([
      [PROFILE_FIELDS_PART_NAME, FIELDS],
      [`${USER_PART_PREFIX}8`, USER],
    ]) as Map<string, Json>;
  }

  /** @returns the message of the refusal, and the published values. */
  edit(
    entries: readonly ProfileFieldUpdate[],
  ): [refusal: string | undefined, told: [id: number, value: string | null][]] {
    const rendered = renderProfileValues(this.parts, entries);
    const { parts, events, refusal } = makeProfileEditCommit(this.parts, this.user, entries, rendered, ++this.#version);
    for (const [name, part] of Object.entries(parts)) this.parts.set(name, part);
    const told = events.flatMap((item) => {
      if (item.t !== 'event') return [];
      const { custom_profile_field } = item.event.person as unknown as {
        custom_profile_field: { id: number; value: string | null };
      };
      return [[custom_profile_field.id, custom_profile_field.value] as [number, string | null]];
    });
    return [refusal?.message, told];
  }

  get shown(): Record<string, unknown> {
    const stored = this.parts.get(`${PROFILE_PART_PREFIX}8`) as unknown as DirectoryUserProfileValues | undefined;
    return stored ? { ...formatProfileForApi(stored, FIELDS) } : {};
  }
}

t.test('empty values are deleted, others set; unchanged ones are not published', async (test) => {
  const account = new Account();
  const day = { id: 2, value: '2000-01-01' };
  test.same(account.edit([{ id: 1, value: '*x*' }, day, { id: 3, value: [8] }]), [
    undefined,
    [
      [1, '*x*'],
      [2, '2000-01-01'],
      [3, '[8]'],
    ],
  ]);
  test.same(account.shown, {
    1: { value: '*x*', rendered_value: '<p><em>x</em></p>' },
    2: { value: '2000-01-01' },
    3: { value: '[8]' },
  });
  test.same(account.edit([{ id: 1, value: null }, { id: 3, value: [] }, day, { id: 4, value: '' }]), [
    undefined,
    [
      [1, null],
      [3, null],
    ],
  ]);
  test.same(account.edit([day, { id: 1, value: null }]), [undefined, []]);
  test.same(account.shown, { 2: { value: '2000-01-01' } });
});

t.test('deletions are kept when the rest is refused; an unknown field refuses the whole call', async (test) => {
  const account = new Account();
  account.edit([
    { id: 1, value: 'a' },
    { id: 4, value: 'b' },
  ]);
  const wrong = [
    { id: 4, value: 'c' },
    { id: 2, value: 'x' },
    { id: 1, value: null },
  ];
  test.same(account.edit(wrong), ['field 2 is not a date', [[1, null]]]);
  test.same(
    account.edit([
      { id: 4, value: null },
      { id: 9, value: '' },
    ]),
    ['Field id 9 not found.', []],
  );
  test.same(
    account.edit([
      { id: 9, value: 'x' },
      { id: 4, value: 'y' },
    ]),
    ['Field id 9 not found.', []],
  );
  test.same(account.shown, { 4: { value: 'b' } });
});

t.test('values of a bot are neither stored nor published, but refused alike', async (test) => {
  const account = new Account(person(8, { botType: 1 }));
  test.same(account.edit([{ id: 1, value: 'x' }]), [undefined, []]);
  test.same(account.edit([{ id: 2, value: 'x' }]), ['field 2 is not a date', []]);
  test.same(account.shown, {});
});

const value = fc.constantFrom<ProfileFieldUpdate['value']>(null, '', 'x', '2000-01-01', [], [8], [9]);
const entry = fc.record({ id: fc.integer({ min: 1, max: 5 }), value });

t.test('applying the published changes gives the stored values, after any changes', async (test) => {
  fc.assert(
    fc.property(fc.array(fc.array(entry, { maxLength: 6 }), { maxLength: 6 }), (changes) => {
      const account = new Account();
      const followed = new Map<string, string>();
      for (const entries of changes) {
        const [, told] = account.edit(entries);
        for (const [id, now] of told) {
          if (followed.get(String(id)) === (now ?? undefined)) throw new Error('told without need');
          if (now === null) followed.delete(String(id));
          else followed.set(String(id), now);
        }
      }
      const values = Object.entries(account.shown).map(([id, shown]) => [id, (shown as { value: string }).value]);
      test.same(Object.fromEntries(followed), Object.fromEntries(values));
    }),
  );
});
