/** Presences in the forms of the API (users.md § Presence). Pure. */
import type { JsonObject } from '#base';
import { readPreference } from '#domain/people';
import type { DirectoryUser, DirectoryView } from '#model/records';

/** Milliseconds since 1970. */
export interface PresenceTimes {
  /** Time of the last report as active; null: never. */
  readonly active: number | null;
  /** Time of the last report of any kind. */
  readonly connected: number;
}

/** Slim: two times per user id. Legacy: two entries, with the same times, per API e-mail. */
export type PresenceForm = 'slim' | 'legacy';

/** Clients report once a minute: a user who was active at most this long before their last report still is. */
const STILL_ACTIVE_MS = 70_000;
/** A user whose clients were silent for longer is offline. Register's snapshot tells clients the same number. */
export const OFFLINE_AFTER_SECONDS = 200;
/** Users without a report for longer are left out of lists. */
const MAX_LISTED_AGE_MS = 14 * 86_400_000;

const seconds = (ms: number): number => Math.floor(ms / 1000);

/** A wall time as `server_timestamp`: seconds with a fraction. */
export const toServerTimestamp = (ms: number): number => ms / 1000;

interface Reported extends JsonObject {
  readonly client: string;
  readonly status: 'active' | 'idle';
  readonly timestamp: number;
}

/** The state of the one client that the API shows. @param joined creation time of the account, ms */
function reported({ active, connected }: PresenceTimes, joined: number): Reported {
  const since = active ?? joined;
  return since + STILL_ACTIVE_MS >= connected
    ? { client: 'website', status: 'active', timestamp: seconds(since) }
    : { client: 'website', status: 'idle', timestamp: seconds(connected) };
}

const slim = ({ active, connected }: PresenceTimes, joined: number): JsonObject => ({
  active_timestamp: seconds(active ?? joined),
  idle_timestamp: seconds(connected),
});

function legacy(times: PresenceTimes, joined: number): JsonObject {
  const of = reported(times, joined);
  return { aggregated: of, website: { ...of, pushable: false } };
}

/** GET /users/{id or email}/presence. */
export function presentUserPresence(times: PresenceTimes, { joined }: DirectoryUser, now: number): JsonObject {
  const { status, timestamp } = reported(times, joined);
  const offline = seconds(now) - timestamp > OFFLINE_AFTER_SECONDS;
  return { aggregated: { status: offline ? 'offline' : status, timestamp }, website: { status, timestamp } };
}

/** The event for everybody. Queues leave `email` out for clients that want the slim form. */
export const presenceEvent = (user: DirectoryUser, times: PresenceTimes, now: number): JsonObject => ({
  type: 'presence',
  user_id: user.id,
  email: user.email,
  server_timestamp: toServerTimestamp(now),
  presence: { website: { ...reported(times, user.joined), pushable: false } },
});

/** True if the user's setting hides their presence. */
export const isPresenceHidden = (directory: DirectoryView, user: DirectoryUser): boolean =>
  !readPreference(directory, user.id, 'presence_enabled');

interface PresenceList {
  /** JSON text of the `presences` object. */
  readonly text: string;
  /** Wall time at which the first listed user drops out of the list, ms. */
  readonly until: number;
}

/** Active humans with a recent report, without those who hide their presence. */
export function listPresences(
  all: ReadonlyMap<number, PresenceTimes>,
  form: PresenceForm,
  directory: DirectoryView,
  now: number,
): PresenceList {
  const entries: string[] = [];
  let until = Number.POSITIVE_INFINITY;
  for (const id of [...all.keys()].sort((a, b) => a - b)) {
    const times = all.get(id)!;
    const user = directory.user(id as never);
    if (!user?.isActive || user.botType !== null || now - times.connected > MAX_LISTED_AGE_MS) continue;
    if (isPresenceHidden(directory, user)) continue;
    until = Math.min(until, times.connected + MAX_LISTED_AGE_MS);
    const key = form === 'slim' ? String(id) : user.email;
    const shown = form === 'slim' ? slim(times, user.joined) : legacy(times, user.joined);
    entries.push(`${JSON.stringify(key)}:${JSON.stringify(shown)}`);
  }
  return { text: `{${entries.join()}}`, until };
}
