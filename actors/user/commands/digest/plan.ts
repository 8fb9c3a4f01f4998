/** Planning of the weekly digest, as the realm's actor orders it. */
import { makeValueReply } from '#actors/shared';
import { MIN_DIGEST_INTERVAL_MS } from '#domain/notifications';
import type { userActorCommands } from '#model/commands';
import { nextUserTimerTime, partsWithChanges, type UserCommandHandler } from '../../state.js';
import { makeWeeklyDigestPartChange, readWeeklyDigestRecord } from '../../weekly-digest.js';

/** Plans a digest. The command is never refused; a repeat, and a digest too soon after the last one, change nothing. */
export const planDigestHandler: UserCommandHandler<typeof userActorCommands.planDigest> = {
  handle({ parts }, { at, inactiveSince, origin }, _inputs, { now }) {
    const known = readWeeklyDigestRecord(parts, now);
    const isTooSoon = known.lastMailed !== undefined && at - known.lastMailed.plannedAt < MIN_DIGEST_INTERVAL_MS;
    if (isTooSoon || (known.plan && known.plan.at >= at)) return { reply: makeValueReply(null) };
    const written = makeWeeklyDigestPartChange({ ...known, plan: { at, inactiveSince, origin, due: at } });
    return { reply: makeValueReply(null), parts: written, due: nextUserTimerTime(partsWithChanges(parts, written)) };
  },
};
