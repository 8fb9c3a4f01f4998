/** Replies with state that only the user's own actor has: for snapshots, and for bots that the user owns. */

import { makeValueReply, type OwnStateSections } from '#actors/shared';
import type { Json } from '#base';
import {
  formatScheduledMessageForApi,
  listUndeliveredScheduledMessages,
  MESSAGE_MARK_PART_PREFIX,
  READ_STATE_PART_PREFIX,
} from '#domain/messages';
import { nextHotspots } from '#domain/people';
import { listUserTopicPolicies } from '#domain/streams';
import type { ActorParts } from '#model';
import type { OwnStateSection, userActorCommands } from '#model/commands';
import { listOwnSubscriptions, type UserActorState, type UserCommandHandler } from '../../state.js';
import { listNewestDrafts } from '../later/drafts.js';

const SECTION_READERS: {
  readonly [S in OwnStateSection]: (parts: ActorParts, state: UserActorState) => OwnStateSections[S];
} = {
  subscriptions: listOwnSubscriptions,
  drafts: listNewestDrafts,
  scheduled: (parts) => listUndeliveredScheduledMessages(parts).map(formatScheduledMessageForApi),
  topics: listUserTopicPolicies,
  reading: (parts) =>
    [...parts].filter(([name]) => name.startsWith(READ_STATE_PART_PREFIX) || name.startsWith(MESSAGE_MARK_PART_PREFIX)),
  hotspots: (_parts, { tutorial = {} }) => nextHotspots(tutorial),
};

export const readOwnStateSectionsHandler: UserCommandHandler<typeof userActorCommands.ownState> = {
  lane: 'read',
  read: true,
  handle: ({ state, parts }, { sections }, _inputs, { version }) => ({
    reply: makeValueReply({
      version,
      ...Object.fromEntries(sections.map((name) => [name, SECTION_READERS[name](parts, state) as unknown as Json])),
    }),
  }),
};
