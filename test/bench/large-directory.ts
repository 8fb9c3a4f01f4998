/**
 * Generated directory records of a large organization, equal to the records of its realm actor. Half of the accounts
 * have a browser session, every fourth has a changed setting, and every tenth is deactivated.
 */
import { createHash } from 'node:crypto';
import type { Json } from '#base';
import { type DirectorySnapshot, EMPTY_DIRECTORY_SINGLETONS } from '#directory';
import { NEW_HUMAN_MEMBER_DEFAULTS, USER_ROLE } from '#domain/people';
import { DEFAULT_REALM_SETTINGS, toStreamId, toUserId, type UserId } from '#model';
import type { AccountSessions, DirectoryStream, DirectoryUser, DirectoryUserPreferences } from '#model/records';
import { packJsonToBuffer, unpackJson } from '#ports/store';

/** First id of the generated accounts and streams. The realm assigns lower ids to accounts that the API creates. */
export const FIRST_GENERATED_ID = 10_000;
const FIRST_RECIPIENT = 1_000_000;
const FIRST_JOINED_MS = 1_700_000_000_000;
const WORDS =
  'Alpha Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliett Kilo Lima Mike November Oscar Papa'.split(' ');

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export function makeUserRecord(n: number): DirectoryUser {
  const email = `person${n}@large.example.com`;
  return {
    ...NEW_HUMAN_MEMBER_DEFAULTS,
    id: toUserId(FIRST_GENERATED_ID + n),
    recipient: FIRST_RECIPIENT + n,
    deliveryEmail: email,
    email,
    fullName: `${WORDS[n % 16]} ${WORDS[(n >> 4) % 16]} ${n}`,
    role: USER_ROLE.member,
    isActive: n % 10 !== 9,
    emailVisibility: 1,
    joined: FIRST_JOINED_MS + n * 1_000,
    keyHash: hashOf(`key ${n}`),
  };
}

export const makeSessionsRecord = (n: number): AccountSessions => ({
  user: toUserId(FIRST_GENERATED_ID + n),
  last: 1,
  sessions: [
    {
      id: 1,
      hash: hashOf(`session ${n}`),
      client: 'Firefox on Linux',
      created: FIRST_JOINED_MS + n,
      used: FIRST_JOINED_MS,
    },
  ],
  links: [],
  endedAt: 0,
});

export const makePreferencesRecord = (n: number): DirectoryUserPreferences => ({
  user: toUserId(FIRST_GENERATED_ID + n),
  settings: { color_scheme: 2 },
  alertWords: [],
  muted: [],
});

export const makeStreamRecord = (n: number, creator: UserId): DirectoryStream => ({
  id: toStreamId(FIRST_GENERATED_ID + n),
  recipient: 2 * FIRST_RECIPIENT + n,
  name: `stream ${n}`,
  description: `What belongs to number ${n}.`,
  renderedDescription: `<p>What belongs to number ${n}.</p>`,
  created: FIRST_JOINED_MS / 1_000,
  creator,
  inviteOnly: false,
  historyPublic: true,
  webPublic: false,
  postPolicy: 1,
  retentionDays: null,
  canRemoveGroup: 2,
  firstMessage: null,
  archived: false,
  isDefault: false,
});

export const hasSessions = (n: number): boolean => n % 2 === 0;
export const hasPreferences = (n: number): boolean => n % 4 === 0;

/** @param withoutDetails leaves out sessions and preferences */
export function makeLargeSnapshot(accounts: number, streams: number, withoutDetails = false): DirectorySnapshot {
  const numbers = Array.from({ length: accounts }, (_, n) => n);
  return {
    ...EMPTY_DIRECTORY_SINGLETONS,
    version: 1,
    subdomain: 'large',
    deactivated: false,
    settings: DEFAULT_REALM_SETTINGS,
    fullMembersAt: 0,
    traffic: [],
    users: numbers.map(makeUserRecord),
    streams: Array.from({ length: streams }, (_, n) => makeStreamRecord(n, toUserId(FIRST_GENERATED_ID))),
    realms: [],
    personals: withoutDetails ? [] : numbers.filter(hasPreferences).map(makePreferencesRecord),
    groups: [],
    emoji: [],
    profiles: [],
    bots: [],
    sessions: withoutDetails ? [] : numbers.filter(hasSessions).map(makeSessionsRecord),
  };
}

/** Decodes a snapshot as a replica gets it from another process; it shares no string or object with other snapshots. */
export const decodeSnapshot = (packed: Uint8Array): DirectorySnapshot =>
  unpackJson(packed) as unknown as DirectorySnapshot;
export const encodeSnapshot = (snapshot: DirectorySnapshot): Buffer => packJsonToBuffer(snapshot as unknown as Json);
