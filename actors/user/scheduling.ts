/**
 * Checks of scheduled messages, made by the sender's actor: the same as for sending (messages.md § POST /messages). At
 * delivery the conversation's actor makes them again.
 */

import { readSubscribersOfStreams, readUserOwnState } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import type { MarkdownRenderResult } from '#domain/markdown';
import {
  requireActiveSender,
  requireMayMentionAll,
  requireMaySendDirectMessage,
  requireMaySendToStream,
  requireTopicIfMandatory,
  type ScheduledMessage,
  type ScheduledMessageBody,
  type SentScheduledMessage,
  scheduledMessagePartName,
  toCheckedMessageContent,
} from '#domain/messages';
import { toCheckedTruncatedTopic } from '#domain/streams';
import { type LogItem, toStreamId, toUserId, type UserId } from '#model';
import { apiError } from '#model/errors';
import type { ActorView, CommandContext, CommandInputContext } from '#runtime';
import type { ActorInputSources } from '../services.js';
import { isSubscribedToStream, type UserActorState } from './state.js';

/** A scheduled message before any check. `to`: ids of streams or users. */
interface UncheckedScheduledMessage {
  readonly type: 'stream' | 'private';
  readonly to: readonly number[];
  readonly topic: string | null;
  readonly content: string;
  readonly newer_mentions?: boolean;
}

export interface MessageSchedulingInputs {
  /** The rendered content; null: it can't be rendered; undefined: no new content, or one that the handler refuses. */
  readonly renderResult: MarkdownRenderResult | null | undefined;
  /** Ids of the streams to which a bot's owner is subscribed. */
  readonly botOwnerStreamIds: ReadonlySet<number>;
  /** Number of subscribers by stream, loaded only for a wildcard mention. */
  readonly subscriberCountByStream: ReadonlyMap<number, number>;
}

interface TextToSchedule extends JsonObject {
  readonly content: string | null;
  readonly origin: string;
  readonly newer_mentions?: boolean;
}

/** Loads the inputs of the checks. @param target stream of the message, as known when the command arrives */
export async function loadMessageSchedulingInputs(
  { content, origin, newer_mentions }: TextToSchedule,
  target: number | undefined,
  known: ScheduledMessage | undefined,
  { realm, caller }: CommandInputContext<UserActorState, undefined>,
  sources: ActorInputSources,
): Promise<MessageSchedulingInputs> {
  const directory = await sources.loadDirectory(realm);
  const text = content === null ? undefined : normalizeContentIfValid(content);
  const owner = directory.user(toUserId(caller))?.botOwner;
  const stream = target === undefined ? undefined : directory.stream(toStreamId(target));
  const [rendered, owners] = await Promise.all([
    text === undefined
      ? undefined
      : sources.services.renderer.renderOrNull(text, directory, origin, caller, newer_mentions),
    owner ? readUserOwnState(realm, owner, ['subscriptions'], sources) : undefined,
  ]);
  const ownersStreams = (owners?.subscriptions ?? []).filter((own) => own.active).map((own) => own.stream);
  const subscribers = new Map<number, number>();
  if (stream && (rendered?.mentions.wildcard || known?.wildcard)) {
    const lists = await readSubscribersOfStreams(realm, [stream.id], sources);
    for (const [id, members] of lists) subscribers.set(id, members.length);
  }
  return { renderResult: rendered, botOwnerStreamIds: new Set(ownersStreams), subscriberCountByStream: subscribers };
}

/** The content in the form in which it would be sent; undefined: the handler refuses it. */
function normalizeContentIfValid(content: string): string | undefined {
  try {
    return toCheckedMessageContent(content);
  } catch {
    return undefined;
  }
}

/**
 * Checks a message to be scheduled. @param known the message before this edit; unchanged content keeps its rendering.
 * @throws ApiError
 */
export function toCheckedScheduledMessageBody(
  given: UncheckedScheduledMessage,
  known: ScheduledMessage | undefined,
  { parts }: ActorView<UserActorState>,
  { renderResult, botOwnerStreamIds, subscriberCountByStream }: MessageSchedulingInputs,
  { directory, caller, now }: CommandContext,
): ScheduledMessageBody {
  const sender = requireActiveSender(directory, caller);
  const said = (): Pick<ScheduledMessageBody, 'html' | 'wildcard' | 'newer_mentions'> => {
    if (renderResult === null) throw apiError('CANNOT_RENDER');
    const newer_mentions = given.newer_mentions ?? false;
    if (renderResult) return { html: renderResult.html, wildcard: renderResult.mentions.wildcard, newer_mentions };
    return { html: known?.html ?? '', wildcard: known?.wildcard ?? false, newer_mentions };
  };
  if (given.type === 'private') {
    const { to, others } = getDirectRecipientsOrThrow(given.to, sender.id, directory);
    const content = toCheckedMessageContent(given.content);
    requireMaySendDirectMessage(sender, others, directory);
    return { type: 'private', to, topic: '', content, ...said() };
  }
  const id = given.to[0]!;
  if (given.topic === null) throw apiError('MISSING_TOPIC');
  const topic = toCheckedTruncatedTopic(given.topic);
  const content = toCheckedMessageContent(given.content);
  const stream = directory.stream(toStreamId(id));
  if (!stream || stream.archived) throw apiError('STREAM_ID_DOES_NOT_EXIST', { stream_id: id });
  const subscribed = (user: number): boolean =>
    user === caller ? isSubscribedToStream(parts, stream.id) : botOwnerStreamIds.has(stream.id);
  requireMaySendToStream(sender, stream, subscribed, directory, now);
  requireTopicIfMandatory(topic, directory);
  const text = said();
  requireMayMentionAll(text.wildcard, () => subscriberCountByStream.get(stream.id) ?? 0, sender, directory, now);
  return { type: 'stream', to: [stream.id], topic, content, ...text };
}

function getDirectRecipientsOrThrow(
  ids: readonly number[],
  self: UserId,
  directory: CommandContext['directory'],
): { to: number[]; others: ReturnType<typeof requireActiveSender>[] } {
  if (ids.length === 0) throw apiError('NO_RECIPIENTS');
  const all = ids.map((id) => {
    const user = directory.user(toUserId(id));
    if (!user) throw apiError('INVALID_USER_ID', { user_id: id });
    return user;
  });
  const others = all.filter((user) => user.id !== self).sort((a, b) => a.id - b.id);
  return { to: others.length === 0 ? [self] : others.map((user) => user.id), others };
}

export const makeScheduledMessagesEvent = (self: number, op: 'add' | 'update' | 'remove', of: JsonObject): LogItem => ({
  t: 'event',
  to: { users: [self] },
  event: { type: 'scheduled_messages', op, ...of },
});

/** The parts with these scheduled messages written. */
export const partsWithScheduledMessages = (
  parts: ReadonlyMap<string, Json>,
  ...messages: readonly (ScheduledMessage | SentScheduledMessage)[]
): ReadonlyMap<string, Json> =>
  new Map([...parts, ...messages.map((message) => [scheduledMessagePartName(message.id), message] as const)]);
