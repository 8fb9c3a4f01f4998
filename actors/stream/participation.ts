/**
 * Users whose settings may let them follow or unmute a topic, because they take part in it or are mentioned in it.
 * Their own actors decide. Few accounts have such settings, so the others cost a look into the directory.
 */
import { mayTopicPolicyChange, type TopicParticipation } from '#domain/streams';
import { type RealmId, toUserId, userActorKey } from '#model';
import { makeOutboxCommand, type OutboxCommand, userActorCommands } from '#model/commands';
import type { DirectoryView } from '#model/records';

const NO_COMMANDS: readonly OutboxCommand[] = [];

interface TopicOfStream {
  /** Stream of the topic; 0 for direct messages, which have none. */
  readonly stream: number;
  readonly topic: string;
}

/** Commands to the actors of those of these users whose settings may change their policy for the topic. */
export function makeTopicParticipationCommands(
  users: readonly number[],
  participation: TopicParticipation,
  { stream, topic }: TopicOfStream,
  { directory, realm }: { readonly directory: DirectoryView; readonly realm: RealmId },
): readonly OutboxCommand[] {
  if (stream === 0) return NO_COMMANDS;
  let commands: OutboxCommand[] | undefined;
  for (const id of users) {
    const user = toUserId(id);
    if (!mayTopicPolicyChange(participation, directory.preferencesOf(user).settings)) continue;
    commands ??= [];
    commands.push(
      makeOutboxCommand({
        to: userActorKey(realm, user),
        name: userActorCommands.tookPartInTopic,
        args: { stream, topic, participation },
        caller: 0,
        after: directory.version,
      }),
    );
  }
  return commands ?? NO_COMMANDS;
}
