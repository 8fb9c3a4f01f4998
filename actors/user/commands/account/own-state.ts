/** Replies with state that only the user's own actor has: for snapshots, and for bots that the user owns. */

import { makeValueReply, type OwnStateSections } from '#actors/shared';
import type { Json } from '#base';
import {
  formatScheduledMessageForApi,
  listSavedSnippets,
  listUnsentScheduledMessages,
  MESSAGE_MARK_PART_PREFIX,
  READ_STATE_PART_PREFIX,
} from '#domain/messages';
import { listNextHotspots } from '#domain/people';
import { listUserTopicPolicies } from '#domain/streams';
import type { ActorParts } from '#model';
import type { OwnStateSection, userActorCommands } from '#model/commands';
import { listPresentAndFormerSubscriptions, type UserActorState, type UserCommandHandler } from '../../state.js';
import { listDraftsForRegistration } from '../later/drafts.js';

const OWN_STATE_SECTION_READERS: {
  readonly [S in OwnStateSection]: (parts: ActorParts, state: UserActorState) => OwnStateSections[S];
} = {
  subscriptions: listPresentAndFormerSubscriptions,
  drafts: listDraftsForRegistration,
  snippets: listSavedSnippets,
  scheduled: (parts) => listUnsentScheduledMessages(parts).map(formatScheduledMessageForApi),
  topics: listUserTopicPolicies,
  reading: (parts) =>
    [...parts].filter(([name]) => name.startsWith(READ_STATE_PART_PREFIX) || name.startsWith(MESSAGE_MARK_PART_PREFIX)),
  hotspots: (_parts, { tutorial = {} }) => listNextHotspots(tutorial),
};

export const readOwnStateSectionsHandler: UserCommandHandler<typeof userActorCommands.ownState> = {
  lane: 'read',
  read: true,
  handle: ({ state, parts }, { sections }, _inputs, { version }) => ({
    reply: makeValueReply({
      version,
      ...Object.fromEntries(
        sections.map((name) => [name, OWN_STATE_SECTION_READERS[name](parts, state) as unknown as Json]),
      ),
    }),
  }),
};
