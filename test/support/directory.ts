import { realmId } from '../../src/core/index.js';
import { type DirectorySnapshot, RealmDirectory } from '../../src/directory/index.js';
import { type EmojiNames, extraEmoji } from '../../src/emoji/index.js';

const EMPTY: DirectorySnapshot = {
  version: 1,
  subdomain: '',
  deactivated: false,
  settings: {},
  users: [],
  streams: [],
  realms: [],
  personals: [],
  groups: [],
  fullMembersAt: 0,
  linkifiers: [],
  emoji: [],
  playgrounds: [],
  streamGroups: [],
  traffic: [],
  userDefaults: {},
  bots: [],
  domains: [],
  profileFields: [],
  profiles: [],
  pictures: {},
};

/** The directory of realm 1, with this in it. */
export const directoryWith = (of: Partial<DirectorySnapshot>, names: EmojiNames = 'conclave'): RealmDirectory =>
  new RealmDirectory(realmId(1), { ...EMPTY, ...of }, extraEmoji(names));
