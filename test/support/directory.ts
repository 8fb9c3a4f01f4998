import {
  CHANGE_FIELD_OF_COLLECTION,
  type DirectoryRecords,
  type DirectorySnapshot,
  EMPTY_SINGLETONS,
  RealmDirectory,
} from '#directory';
import { extraEmojiNamed } from '#domain/emoji';
import { type ExtraEmojiName, realmId } from '#model';

const NO_RECORDS = Object.fromEntries(
  Object.keys(CHANGE_FIELD_OF_COLLECTION).map((collection) => [collection, []]),
) as unknown as {
  readonly [C in keyof DirectoryRecords]: [];
};

/** A directory with this in it, and nothing else. */
export const snapshotWith = (of: Partial<DirectorySnapshot>): DirectorySnapshot => ({
  version: 1,
  subdomain: '',
  deactivated: false,
  settings: {},
  fullMembersAt: 0,
  traffic: [],
  ...NO_RECORDS,
  ...EMPTY_SINGLETONS,
  ...of,
});

/** The directory of realm 1, with this in it. */
export const directoryWith = (of: Partial<DirectorySnapshot>, names: ExtraEmojiName = 'conclave'): RealmDirectory =>
  new RealmDirectory(realmId(1), snapshotWith(of), extraEmojiNamed(names));
