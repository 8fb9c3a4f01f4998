/** Presences in the forms of the API (users.md § Presence). The functions have no side effects. */
import type { JsonObject } from '#base';
import { readUserSettingByUserId } from '#domain/people';
import type { DirectoryUser, DirectoryView } from '#model/records';

/** Times of a user's presence, ms since 1970. */
export interface PresenceTimes {
  /** Time of the user's last report as active; null: never. */
  readonly active: number | null;
  /** Time of the user's last report of any kind. */
  readonly connected: number;
}

/**
 * Form of presences in responses. Slim: two times per user id. Legacy: two entries, with the same times, per API
 * e-mail.
 */
export type PresenceResponseForm = 'slim' | 'legacy';

/**
 * Maximum time between a user's last activity and last report at which the user still counts as active, ms: clients
 * report once a minute.
 */
const MAX_ACTIVE_REPORT_LAG_MS = 70_000;
/**
 * Age of a user's shown timestamp above which the user is offline, seconds. The timestamp is that of the last activity
 * while the user counts as active, else that of the last report. The register response tells clients the same number.
 */
export const PRESENCE_OFFLINE_AFTER_SECONDS = 200;
/** Time without a report after which a user is left out of lists of presences, ms. */
const MAX_LISTED_PRESENCE_AGE_MS = 14 * 86_400_000;

const toWholeSeconds = (ms: number): number => Math.floor(ms / 1000);

/** A wall time as `server_timestamp` shows it: seconds with a fraction. */
export const toServerTimestampSeconds = (ms: number): number => ms / 1000;

interface ApiClientPresence extends JsonObject {
  readonly client: string;
  readonly status: 'active' | 'idle';
  readonly timestamp: number;
}

/** The presence of the one client that the API shows for a user. @param joined creation time of the account, ms */
function makeWebsitePresence({ active, connected }: PresenceTimes, joined: number): ApiClientPresence {
  const since = active ?? joined;
  return since + MAX_ACTIVE_REPORT_LAG_MS >= connected
    ? { client: 'website', status: 'active', timestamp: toWholeSeconds(since) }
    : { client: 'website', status: 'idle', timestamp: toWholeSeconds(connected) };
}

const formatSlimPresence = ({ active, connected }: PresenceTimes, joined: number): JsonObject => ({
  active_timestamp: toWholeSeconds(active ?? joined),
  idle_timestamp: toWholeSeconds(connected),
});

function formatLegacyPresenceEntries(times: PresenceTimes, joined: number): JsonObject {
  const of = makeWebsitePresence(times, joined);
  return { aggregated: of, website: { ...of, pushable: false } };
}

/** The response of GET /users/{id or email}/presence. */
export function formatUserPresenceForApi(times: PresenceTimes, { joined }: DirectoryUser, now: number): JsonObject {
  const { status, timestamp } = makeWebsitePresence(times, joined);
  const offline = toWholeSeconds(now) - timestamp > PRESENCE_OFFLINE_AFTER_SECONDS;
  return { aggregated: { status: offline ? 'offline' : status, timestamp }, website: { status, timestamp } };
}

/** The presence event for all users. Queues leave `email` out for clients that want the slim form. */
export const makePresenceEvent = (user: DirectoryUser, times: PresenceTimes, now: number): JsonObject => ({
  type: 'presence',
  user_id: user.id,
  email: user.email,
  server_timestamp: toServerTimestampSeconds(now),
  presence: { website: { ...makeWebsitePresence(times, user.joined), pushable: false } },
});

/** True if the user's setting hides their presence. */
export const isPresenceHidden = (directory: DirectoryView, user: DirectoryUser): boolean =>
  !readUserSettingByUserId(directory, user.id, 'presence_enabled');

interface EncodablePresenceList {
  /** JSON text of the response field `presences`. */
  readonly text: string;
  /** Wall time at which the first listed user drops out of the list, ms. */
  readonly until: number;
}

/** The list of presences: active humans with a recent report, except those who hide their presence. */
export function makePresenceList(
  all: ReadonlyMap<number, PresenceTimes>,
  form: PresenceResponseForm,
  directory: DirectoryView,
  now: number,
): EncodablePresenceList {
  const entries: string[] = [];
  let until = Number.POSITIVE_INFINITY;
  for (const id of [...all.keys()].sort((a, b) => a - b)) {
    const times = all.get(id)!;
    const user = directory.user(id as never);
    if (!user?.isActive || user.botType !== null || now - times.connected > MAX_LISTED_PRESENCE_AGE_MS) continue;
    if (isPresenceHidden(directory, user)) continue;
    until = Math.min(until, times.connected + MAX_LISTED_PRESENCE_AGE_MS);
    const key = form === 'slim' ? String(id) : user.email;
    const shown =
      form === 'slim' ? formatSlimPresence(times, user.joined) : formatLegacyPresenceEntries(times, user.joined);
    entries.push(`${JSON.stringify(key)}:${JSON.stringify(shown)}`);
  }
  return { text: `{${entries.join()}}`, until };
}
