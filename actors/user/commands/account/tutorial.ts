/** Hints for new users that were seen, and the end of the tutorial (users.md § Small operations). */
import { isDeepStrictEqual } from 'node:util';
import { makeSuccessReply } from '#actors/shared';
import { listNextHotspots, type TutorialState } from '#domain/people';
import type { LogItem } from '#model';
import type { userActorCommands } from '#model/commands';
import type { UserCommandHandler } from '../../state.js';

const makeHotspotsEvent = (user: number, tutorial: TutorialState): LogItem => ({
  t: 'event',
  to: { users: [user] },
  event: { type: 'hotspots', hotspots: listNextHotspots(tutorial) },
});

/** Marks a hint as seen. Clients get the event even if the hint was seen before. */
export const markHotspotReadHandler: UserCommandHandler<typeof userActorCommands.markHotspot> = {
  handle({ state }, { hotspot }, _inputs, { caller }) {
    const before = state.tutorial ?? {};
    const tutorial = { ...before, seen: [...new Set([...(before.seen ?? []), hotspot])] };
    return { reply: makeSuccessReply(), state: { ...state, tutorial }, events: [makeHotspotsEvent(caller, tutorial)] };
  },
};

/** Ends the tutorial or starts it again. Clients get an event only if other hints are to be shown now. */
export const setTutorialStatusHandler: UserCommandHandler<typeof userActorCommands.setTutorial> = {
  handle({ state }, { status }, _inputs, { caller }) {
    const before = state.tutorial ?? {};
    const tutorial = { ...before, finished: status === 'finished' };
    if ((before.finished ?? false) === tutorial.finished) return { reply: makeSuccessReply() };
    const changed = !isDeepStrictEqual(listNextHotspots(before), listNextHotspots(tutorial));
    return {
      reply: makeSuccessReply(),
      state: { ...state, tutorial },
      ...(changed ? { events: [makeHotspotsEvent(caller, tutorial)] } : {}),
    };
  },
};
