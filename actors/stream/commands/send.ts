/** Sending a message: to a stream, or to the participants of a direct-message conversation (messages.md). */
import { apiError } from '../../../src/api/errors.js';
import { type JsonObject, parseKey, realmKey, streamId, userId } from '../../../src/core/index.js';
import type { DirectoryUser, DirectoryView } from '../../../src/directory/index.js';
import { CannotRender, renderMarkdown } from '../../../src/markdown/index.js';
import { type MessageBody, neutral, type StoredMessage, streamConversation } from '../../../src/messages/index.js';
import type { Audience, MessageItem, NeedsContext, Outcome, Suppliers } from '../../../src/runtime/index.js';
import { asMember, checkMayPost, isMember, MEMBER_PART, topicKey } from '../../../src/streams/index.js';
import { success } from '../../shared/replies.js';
import type { StreamCommand } from '../command.js';
import type { StreamState } from '../state.js';

interface SendArgs extends JsonObject {
  /** Normalised by the frontend: trimmed, cut to the limit. */
  readonly content: string;
  /** Checked and cut by the frontend; '' for direct messages. */
  readonly topic: string;
  /** The sender's own copy is read: the client is one that a person looks at. */
  readonly human: boolean;
  readonly queue_id: string | null;
  readonly local_id: string | null;
  /** As sent. */
  readonly widget: string | null;
}

interface Prepared {
  readonly id: number;
  readonly html: string | null;
}

async function prepare(
  { content }: SendArgs,
  { realm }: NeedsContext<StreamState, undefined>,
  suppliers: Suppliers,
): Promise<Prepared> {
  let html: string | null = null;
  try {
    html = renderMarkdown(content).html;
  } catch (error) {
    if (!(error instanceof CannotRender)) throw error;
  }
  return { html, id: await suppliers.messageId(realm) };
}

export const send: StreamCommand<SendArgs, Prepared> = {
  creates: true,
  needs: prepare,
  handle({ state, parts }, args, { id, html }, context) {
    const { directory, key, caller, now } = context;
    const stream = directory.stream(streamId(Number(parseKey(key).rest)));
    if (!stream) throw apiError('STREAM_ID_DOES_NOT_EXIST', { stream_id: Number(parseKey(key).rest) });
    const sender = activeUser(directory, caller);
    const subscribed = (user: number): boolean => isMember(asMember(parts.get(`${MEMBER_PART}${user}`)));
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
    const first = stream.firstMessage === null && state.last === 0;
    const outcome = sent(state, args, context, {
      id,
      html,
      first,
      participants: [],
      recipient: stream.recipient,
      stream: stream.id,
      conversation: streamConversation(stream.id),
      flags: args.human && subscribed(caller) ? { [caller]: ['read'] } : {},
      to: { stream: stream.id, mv: state.mv, publicStream: !stream.inviteOnly, rv: directory.version },
    });
    if (!first) return outcome;
    const told = { to: realmKey(context.realm), name: 'first-message', args: { stream: stream.id, id }, caller: 0 };
    return { ...outcome, commands: [[told]] };
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
  handle({ state }, args, { id, html, recipient }, context) {
    const { directory, caller } = context;
    const sender = activeUser(directory, caller);
    const people = args.participants.map((user) => directory.user(userId(user)));
    const others = people.filter((user): user is DirectoryUser => user !== undefined && user.id !== caller);
    if (!args.participants.includes(caller)) throw apiError('NOT_AUTHORIZED_FOR_QUERY');
    checkDirectPolicy(sender, others, directory);
    const participants = state.participants.length > 0 ? state.participants : args.participants;
    return sent({ ...state, participants, recipient }, args, context, {
      id,
      html,
      participants,
      // One-to-one messages carry the receiver's recipient, so the two directions differ.
      recipient: participants.length > 2 ? recipient : (others[0] ?? sender).recipient,
      stream: 0,
      conversation: `d${parseKey(context.key).rest}`,
      flags: args.human ? { [caller]: ['read'] } : {},
      to: { users: participants },
    });
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

/** What is in a widget comes with the operations on submessages. @throws ApiError */
function checkWidget(widget: string | null): void {
  if (widget === null) return;
  try {
    JSON.parse(widget);
  } catch {
    throw apiError('WIDGET_JSON');
  }
}

interface Placed {
  readonly id: number;
  readonly html: string | null;
  readonly first?: boolean;
  readonly participants: readonly number[];
  readonly recipient: number;
  readonly stream: number;
  readonly conversation: string;
  readonly flags: MessageBody['flags'];
  readonly to: Audience;
}

function sent(
  state: StreamState,
  args: SendArgs,
  { now, client, caller, directory }: { now: number; client: string; caller: number; directory: DirectoryView },
  placed: Placed,
): Outcome<StreamState> {
  checkWidget(args.widget);
  if (placed.html === null) throw apiError('CANNOT_RENDER');
  const { id, conversation, participants, flags } = placed;
  const body: MessageBody = {
    content: args.content,
    html: placed.html,
    topic: args.topic,
    sent: Math.floor(now / 1000),
    client,
    recipient: placed.recipient,
    stream: placed.stream,
    rev: 1,
    flags,
  };
  const message: StoredMessage = { id, sender: caller, participants, body };
  const item: MessageItem = {
    t: 'message',
    to: placed.to,
    message: neutral(message, directory),
    flags,
    ...(placed.first ? { first: true } : {}),
    ...(args.queue_id !== null && args.local_id !== null ? { local: { queue: args.queue_id, id: args.local_id } } : {}),
  };
  return {
    reply: success({ id }),
    state: { ...state, last: id },
    messages: [
      { id, rev: 1, record: { id, conversation, topicKey: topicKey(args.topic), sender: caller, participants, body } },
    ],
    events: [item],
  };
}
