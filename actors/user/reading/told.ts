/** Events about messages come after the messages' own events. */

import { ownerOf } from '#actors/shared';
import type { StoredMessage } from '#domain/messages';
import type { ActorKey, RealmId } from '#model';
import { conversationCommands } from '#model/commands';
import type { InputSources } from '../../services.js';

/** Between a commit and its place in the log lie milliseconds; a service that is away for longer is no haste. */
const RECENT_MS = 60_000;

/** Waits until the log has the events of those of the messages that are young enough to be still on their way. */
export async function untilTold(
  realm: RealmId,
  messages: readonly StoredMessage[],
  sources: InputSources,
): Promise<void> {
  const since = (sources.services.clock.now() - RECENT_MS) / 1000;
  const owners = new Set<ActorKey<'stream' | 'dm'>>();
  for (const message of messages) if (message.body.sent >= since) owners.add(ownerOf(realm, message));
  await Promise.all([...owners].map((owner) => sources.ask(owner, conversationCommands.awaitPublished, {})));
}
