/** Sections of what only the user's own actor knows, subscriptions aside (register.md). */

import type { JsonObject } from '../../../src/core/index.js';
import type { OwnSection } from '../../../src/model/commands/index.js';
import { mutedTopics, presentUserTopics } from '../../../src/streams/index.js';
import type { OwnState } from '../../shared/own-state.js';
import type { SnapshotInputs } from './take.js';

export function ownSections(
  { directory, args, user }: SnapshotInputs,
  { drafts, scheduled, topics, hotspots }: OwnState<OwnSection>,
  wanted: (section: string) => boolean,
): JsonObject {
  // Whoever asks for user_topic by name has no use for its deprecated form.
  const deprecated = wanted('muted_topics') && !args.fetch?.includes('user_topic');
  return {
    ...(wanted('drafts') ? { drafts } : {}),
    ...(wanted('scheduled_messages') ? { scheduled_messages: scheduled } : {}),
    // Bots need no tutorial.
    ...(wanted('hotspots') ? { hotspots: user.botType === null ? hotspots : [] } : {}),
    ...(deprecated ? { muted_topics: mutedTopics(topics, directory) } : {}),
    ...(wanted('user_topic') ? { user_topics: presentUserTopics(topics, directory) } : {}),
  };
}
