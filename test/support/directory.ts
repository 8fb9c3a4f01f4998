import {
  CHANGE_FIELD_BY_DIRECTORY_COLLECTION,
  type DirectoryRecordTypeByCollection,
  type DirectorySnapshot,
  EMPTY_DIRECTORY_SINGLETONS,
  RealmDirectory,
} from '#directory';
import { productEmojiForm } from '#domain/emoji';
import { type ProductEmojiName, toRealmId } from '#model';

const NO_RECORDS = Object.fromEntries(
  Object.keys(CHANGE_FIELD_BY_DIRECTORY_COLLECTION).map((collection) => [collection, []]),
) as unknown as {
  readonly [C in keyof DirectoryRecordTypeByCollection]: [];
};

/** Directory snapshot that is empty except for these records and settings. */
export const snapshotWith = (of: Partial<DirectorySnapshot>): DirectorySnapshot => ({
  version: 1,
  subdomain: '',
  deactivated: false,
  settings: {},
  fullMembersAt: 0,
  traffic: [],
  ...NO_RECORDS,
  ...EMPTY_DIRECTORY_SINGLETONS,
  ...of,
});

/** Directory of realm 1 that is empty except for these records and settings. */
export const directoryWith = (of: Partial<DirectorySnapshot>, names: ProductEmojiName = 'conclave'): RealmDirectory =>
  new RealmDirectory(toRealmId(1), snapshotWith(of), productEmojiForm(names));
