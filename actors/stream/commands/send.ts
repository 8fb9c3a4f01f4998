/** Sending a message: to a stream, or to the participants of a direct-message conversation (messages.md). */
import { apiError } from '../../../src/api/errors.js';
import { parseKey, realmKey, streamId, userId } from '../../../src/core/index.js';
import type { DirectoryUser, DirectoryView } from '../../../src/directory/index.js';
import type { Rendered } from '../../../src/markdown/index.js';
import { firstSubmessage } from '../../../src/messages/index.js';
import { wildcardAllowed } from '../../../src/people/index.js';
import { checkMayPost, isMember } from '../../../src/streams/index.js';
import type { StreamCommand } from '../command.js';
import { memberIds, memberOf } from './members.js';
import { flagsAtCreation, type Prepared, prepare, type Said, type Spoken, sentDirectly, sentToStream } from './sent.js';

interface SendArgs extends Said {
  /** The sender's own copy is read: the client is one that a person looks at. */
  readonly human: boolean;
  readonly queue_id: string | null;
  readonly local_id: string | null;
  /** As sent. */
  readonly widget: string | null;
}

/** More subscribers than this, and the organization decides who may wake them all (messages.md, check 16). */
const WILDCARD_FREE = 15;

export const send: StreamCommand<SendArgs, Prepared> = {
  creates: true,
  needs: prepare,
  handle({ state, parts }, args, { id, rendered }, context) {
    const { directory, key, caller, now } = context;
    const stream = directory.stream(streamId(Number(parseKey(key).rest)));
    if (!stream) throw apiError('STREAM_ID_DOES_NOT_EXIST', { stream_id: Number(parseKey(key).rest) });
    const sender = activeUser(directory, caller);
    const subscribed = (user: number): boolean => isMember(memberOf(parts, user));
    const owner = sender.botOwner === null ? undefined : directory.user(sender.botOwner);
    checkMayPost(
      {
        user: sender,
        subscribed: subscribed(caller),
        ...(owner ? { owner: { user: owner, subscribed: subscribed(owner.id) } } : {}),
      },
      stream,
      directory.settings,
      now,
    );
    if (directory.settings.mandatory_topics && args.topic === '(no topic)') throw apiError('TOPICS_REQUIRED');
    const spoken = bySender(args, id, rendered, context, subscribed);
    if (spoken.rendered.mentions.wildcard && memberIds(parts).length > WILDCARD_FREE) {
      const policy = Number(directory.settings.wildcard_mention_policy);
      if (!wildcardAllowed(policy, sender, directory.settings, now)) throw apiError('WILDCARD_NOT_ALLOWED');
    }
    return sentToStream(state, args, context, stream, spoken);
  },
};

interface DirectArgs extends SendArgs {
  /** Everybody in the conversation, the sender included, ascending. */
  readonly participants: readonly number[];
}

export const sendDirect: StreamCommand<DirectArgs, Prepared & { recipient: number }> = {
  creates: true,
  async needs(args, context, suppliers) {
    const known = context.view.state.recipient;
    const isGroup = args.participants.length > 2;
    const [prepared, recipient] = await Promise.all([
      prepare(args, context, suppliers),
      isGroup && known === 0
        ? suppliers.ask(realmKey(context.realm), 'group-recipient', { group: parseKey(context.key).rest })
        : known,
    ]);
    return { ...prepared, recipient: recipient as number };
  },
  handle({ state }, args, { id, rendered, recipient }, context) {
    const { directory, caller } = context;
    const sender = activeUser(directory, caller);
    const people = args.participants.map((user) => directory.user(userId(user)));
    const others = people.filter((user): user is DirectoryUser => user !== undefined && user.id !== caller);
    if (!args.participants.includes(caller)) throw apiError('NOT_AUTHORIZED_FOR_QUERY');
    checkDirectPolicy(sender, others, directory);
    const participants = state.participants.length > 0 ? state.participants : args.participants;
    const spoken = bySender(args, id, rendered, context, (user) => participants.includes(user));
    // One-to-one messages carry the receiver's recipient, so the two directions differ.
    const carried = participants.length > 2 ? recipient : (others[0] ?? sender).recipient;
    return sentDirectly({ ...state, participants, recipient }, args, context, carried, spoken);
  },
};

function activeUser(directory: DirectoryView, caller: number): DirectoryUser {
  const user = directory.user(userId(caller));
  if (!user?.isActive) throw apiError('ACCOUNT_DEACTIVATED');
  return user;
}

function checkDirectPolicy(sender: DirectoryUser, others: readonly DirectoryUser[], directory: DirectoryView): void {
  const toOneBot = others.length === 1 && others[0]?.botType !== null;
  if (directory.settings.private_message_policy === 2 && !toOneBot && sender.botType === null) {
    throw apiError('DIRECT_MESSAGES_DISABLED');
  }
  for (const user of others) if (!user.isActive) throw apiError('RECIPIENT_GONE', { email: user.email });
}

/** What a person's sending adds to the message. @throws ApiError when it is no message after all */
function bySender(
  { content, human, queue_id, local_id, widget }: SendArgs,
  id: number,
  rendered: Rendered | null,
  { caller, client }: { readonly caller: number; readonly client: string },
  hasCopy: (user: number) => boolean,
): Spoken {
  const submessage = firstSubmessage(content, widget, caller);
  if (rendered === null) throw apiError('CANNOT_RENDER');
  return {
    id,
    sender: caller,
    client,
    rendered,
    flags: flagsAtCreation(human ? [caller] : [], rendered, hasCopy),
    local: queue_id !== null && local_id !== null ? { queue: queue_id, id: local_id } : undefined,
    submessage,
  };
}
