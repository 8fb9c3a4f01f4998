/** Sections of what only the user's own actor knows, subscriptions aside (register.md). */

import type { OwnState } from '#actors/shared';
import type { JsonObject } from '#base';
import { mutedTopics, presentUserTopics } from '#domain/streams';
import type { OwnSection } from '#model/commands';
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
