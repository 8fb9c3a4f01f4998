import t, { type Test } from 'tap';
import { picked, QUICK, QUICK_SHARE } from '../support/rounds.js';
import { contractGate } from './contract.js';
import { NAMED_FAMILIES, runSuite } from './run.js';
import { isShard, shard } from './shard.js';
import { eventCounts } from './suite/events/event-counts.js';
import { passivation } from './suite/events/passivation.js';
import { queueQuota } from './suite/events/queue-quota.js';
import { queueTimeouts } from './suite/events/queue-timeouts.js';
import { fileQuota } from './suite/files/file-quota.js';
import { fileTimes } from './suite/files/file-times.js';
import { SUITE } from './suite/index.js';
import { invitationTime } from './suite/invitations/invitation-time.js';
import { marksBesideMessages } from './suite/messages/marks-beside-messages.js';
import { messageTime } from './suite/messages/message-time.js';
import { noImageProxy } from './suite/messages/no-image-proxy.js';
import { scheduledTime } from './suite/messages/scheduled-time.js';
import { slowMarks } from './suite/messages/slow-marks.js';
import { missedMails } from './suite/notifications/missed-mails.js';
import { weeklyDigests } from './suite/notifications/weekly-digests.js';
import { emojiNames } from './suite/organization/emoji-names.js';
import { exportFailures } from './suite/organization/export-failures.js';
import { pictureStoring } from './suite/organization/picture-storing.js';
import { fullMembers } from './suite/people/full-members.js';
import { presenceTime } from './suite/people/presence-time.js';
import { sessionTime } from './suite/people/session-time.js';
import { apiLevelSettings } from './suite/server/api-level-settings.js';
import { rateLimits } from './suite/server/rate-limits.js';
import { streamTraffic } from './suite/streams/stream-traffic.js';
import { startEmbedded } from './support/faces.js';

/** Families that start a server of their own: with a fake clock, small bounds or other settings. */
const OF_THEIR_OWN: Readonly<Record<string, (t: Test) => Promise<void>>> = {
  'timeouts of queues': queueTimeouts,
  'passivated queues': passivation,
  'queues of one account': queueQuota,
  'time and messages': messageTime,
  'time and scheduled messages': scheduledTime,
  'time and presence': presenceTime,
  'time and traffic': streamTraffic,
  'full members': fullMembers,
  'events of one change': eventCounts,
  'files and time': fileTimes,
  'invitations and time': invitationTime,
  'quota of files': fileQuota,
  'storing of pictures': pictureStoring,
  'failures of exports': exportFailures,
  'names of the extra emoji': emojiNames,
  'no image proxy': noImageProxy,
  'marks that take too long': slowMarks,
  'marks beside messages': marksBesideMessages,
  'sessions and time': sessionTime,
  'mails about missed messages': missedMails,
  'weekly digests and time': weeklyDigests,
  'settings of API levels': apiLevelSettings,
  'rate limits': rateLimits,
};

/** All families; a third of them in a quick run, which knows nothing of the contract as a whole. */
const tried = (families: readonly string[]): readonly string[] =>
  QUICK && !NAMED_FAMILIES ? picked(families, Math.ceil(families.length * QUICK_SHARE), (family) => family) : families;

await runSuite('embedded face', () => startEmbedded(), tried(Object.keys(SUITE)));
const ofTheirOwn = new Set(tried(Object.keys(OF_THEIR_OWN)));
for (const [family, facts] of shard(Object.entries(OF_THEIR_OWN).filter(([family]) => ofTheirOwn.has(family))))
  await t.test(family, facts);
// This runs last, on everything tried above; a part of the suite cannot be complete.
if (!NAMED_FAMILIES && !isShard && !QUICK) await t.test('the contract was tried completely', contractGate);
