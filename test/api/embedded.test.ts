import t from 'tap';
import { contractGate } from './contract.js';
import { startEmbedded } from './harness.js';
import { ONLY, runSuite } from './run.js';
import { emojiNames } from './suite/emoji-names.js';
import { fileQuota } from './suite/file-quota.js';
import { fileTimes } from './suite/file-times.js';
import { fullMembers } from './suite/full-members.js';
import { invitationTime } from './suite/invitation-time.js';
import { messageTime } from './suite/message-time.js';
import { presenceTime } from './suite/presence-time.js';
import { scheduledTime } from './suite/scheduled-time.js';
import { slowMarks } from './suite/slow-marks.js';
import { time } from './suite/time.js';

await runSuite('embedded face', () => startEmbedded());
await t.test('time', time);
await t.test('time and messages', messageTime);
await t.test('time and scheduled messages', scheduledTime);
await t.test('time and presence', presenceTime);
await t.test('full members', fullMembers);
await t.test('files and time', fileTimes);
await t.test('invitations and time', invitationTime);
await t.test('quota of files', fileQuota);
await t.test('names of the extra emoji', emojiNames);
await t.test('marks that take too long', slowMarks);
// Last, of all that was tried above; a part of the suite cannot be complete.
if (ONLY === '') await t.test('the contract was tried completely', contractGate);
