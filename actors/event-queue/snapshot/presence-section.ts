/** fetch_event_types `presence`: who was here lately (register.md). */
import type { Fields } from '#base';
import { presencesIn, serverTime } from '#domain/presence';
import type { SnapshotInputs } from './inputs.js';

/** The list is the same bytes for all who register within its time. */
export const presenceSection = ({ directory, args, now }: SnapshotInputs): Fields => ({
  presences: presencesIn(directory).list(args.options.slimPresence ? 'slim' : 'legacy', now),
  server_timestamp: serverTime(now),
});

/** For visitors. */
export const visitorsPresence = ({ now }: SnapshotInputs): Fields => ({
  presences: {},
  server_timestamp: serverTime(now),
});
