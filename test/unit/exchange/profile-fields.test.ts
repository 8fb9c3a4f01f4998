/** Custom profile fields of an export: those with data or values that the API refuses are left out, and counted. */
import t from 'tap';
import { PROFILE_FIELD_TYPE } from '#domain/people';
import { CheckedExportRow } from '../../../src/app/exchange/format/row.js';
import { ImportedIdMap } from '../../../src/app/exchange/ids.js';
import { AdjustedRowCounts, type ImportedOrganizationDraft } from '../../../src/app/exchange/import/draft.js';
import { addImportedProfileField, ImportedProfileFieldValues } from '../../../src/app/exchange/tables/personal.js';

const USER = 501;

function makeDraft(): ImportedOrganizationDraft {
  const userIdMap = new ImportedIdMap('user');
  userIdMap.addNewId(USER, 8);
  return {
    userIdMap,
    profileFieldIdMap: new ImportedIdMap('profile field'),
    directorySingletons: { profileFields: [] },
    directoryRecords: { profiles: [] },
    adjustedRowCounts: new AdjustedRowCounts(),
    addImportedCount: () => undefined,
  } as never;
}

const addField = (draft: ImportedOrganizationDraft, id: number, field_type: number, name: string, field_data: string) =>
  addImportedProfileField(
    new CheckedExportRow('zerver_customprofilefield', { id, field_type, name, hint: '', field_data }),
    draft,
  );

t.test('a list of options without options, and an account of an unknown type, are left out', async (test) => {
  const draft = makeDraft();
  addField(draft, 11, PROFILE_FIELD_TYPE.select, 'Empty', '');
  addField(draft, 12, PROFILE_FIELD_TYPE.select, 'List', '[1]');
  addField(draft, 13, PROFILE_FIELD_TYPE.externalAccount, 'Account', '{"subtype":"nowhere"}');
  addField(draft, 14, PROFILE_FIELD_TYPE.select, 'Colour', '{"a":{"text":"Red","order":"1"}}');
  addField(draft, 15, PROFILE_FIELD_TYPE.date, 'Birthday', '');
  test.strictSame(
    draft.directorySingletons.profileFields.map(({ id, name, data }) => [id, name, data]),
    [
      [1, 'Colour', '{"a":{"text":"Red","order":"1"}}'],
      [2, 'Birthday', ''],
    ],
  );
  test.strictSame(
    [...draft.adjustedRowCounts.countByReason],
    ['Empty', 'List', 'Account'].map((name) => [`profile field ${name}`, 1]),
  );
});

t.test('a value that its field does not take is left out', async (test) => {
  const draft = makeDraft();
  addField(draft, 14, PROFILE_FIELD_TYPE.select, 'Colour', '{"a":{"text":"Red","order":"1"}}');
  addField(draft, 15, PROFILE_FIELD_TYPE.date, 'Birthday', '');
  addField(draft, 16, PROFILE_FIELD_TYPE.url, 'Page', '');
  const values = new ImportedProfileFieldValues();
  for (const [field, value] of [
    [14, 'b'],
    [14, 'a'],
    [15, '2020-1-5'],
    [15, '2020-01-05'],
    [16, 'javascript:alert(1)'],
  ] as const)
    values.addValueRow(
      new CheckedExportRow('zerver_customprofilefieldvalue', { id: 1, field, user_profile: USER, value }),
      draft,
    );
  values.writeProfilesToDraft(draft);
  test.strictSame(
    Object.entries(draft.directoryRecords.profiles[0]!.values).map(([field, { value }]) => [field, value]),
    [
      ['1', 'a'],
      ['2', '2020-01-05'],
    ],
  );
  test.equal([...draft.adjustedRowCounts.countByReason.values()].length, 3);
});
