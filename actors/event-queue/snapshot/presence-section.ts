/** fetch_event_types `presence`: who was here lately (register.md). */
import { encodeFields } from '../../../src/api/encode-fields.js';
import type { JsonObject } from '../../../src/core/index.js';
import { presencesIn, serverTime } from '../../../src/presence/index.js';
import type { SnapshotInputs } from './take.js';

/** Response fields, encoded: the list is the same bytes for all who register within its time. */
export function presenceSection({ directory, args, now }: SnapshotInputs): Uint8Array[] {
  const list = presencesIn(directory).list(args.options.slimPresence ? 'slim' : 'legacy', now);
  return [list, encodeFields({ server_timestamp: serverTime(now) })];
}

/** For visitors. */
export const visitorsPresence = ({ now }: SnapshotInputs): JsonObject => ({
  presences: {},
  server_timestamp: serverTime(now),
});
