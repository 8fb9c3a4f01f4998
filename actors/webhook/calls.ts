/** One webhook call, from the look at its message to its outcome. */

import { noticeTextsOfUser } from '#actors/shared';
import { makeTopicMessageUrl } from '#domain/markdown';
import { makeViewerWithoutFlags, type StoredMessage, toStoredMessage, UserMessageReader } from '#domain/messages';
import { isCurrentStreamMember, streamMemberPartAddress, toStreamMembershipRecord } from '#domain/streams';
import { type NoticeTexts, noticeTextsIn, type WebhookFault } from '#domain/texts';
import { makeWebhookRequestOrRefusal, parseWebhookReply, type WebhookCallResult } from '#domain/webhooks';
import { type ActorKey, parseActorKey, type RealmId, toStreamId, toUserId } from '#model';
import type { WebhookCallOutcome, WebhookMessagePlace } from '#model/commands';
import type { DirectoryUser, DirectoryView, OutgoingWebhookService } from '#model/records';
import type { ActorInputSources } from '../services.js';
import type { WaitingWebhookCall } from './state.js';

/** The message of a call as it is now, and the called bot. */
interface ReportedMessage {
  readonly bot: DirectoryUser;
  readonly service: OutgoingWebhookService;
  readonly message: StoredMessage;
  readonly directory: DirectoryView;
}

export const botIdOfWebhookActorKey = (key: ActorKey) => toUserId(Number(parseActorKey(key).idWithinRealm));

/**
 * Starts a call; resolves when its request is under way. The message is read again after the answer: it may have been
 * moved or deleted while the bot's server was thinking.
 */
export async function startWebhookCall(
  key: ActorKey,
  realm: RealmId,
  call: WaitingWebhookCall,
  sources: ActorInputSources,
): Promise<{ readonly outcome: Promise<WebhookCallOutcome> | WebhookCallOutcome }> {
  const before = await findReportedMessage(key, realm, call, sources);
  if (!before) return { outcome: { is: 'done' } };
  const finish = async (result: WebhookCallResult): Promise<WebhookCallOutcome> => {
    const now = await findReportedMessage(key, realm, call, sources);
    if (!now) return { is: 'done' };
    const { body, participants } = now.message;
    const phrase = await formatMessagePhrase(now, call.origin, sources);
    const place = { stream: body.stream, topic: body.topic, participants, phrase };
    return outcomeOfWebhookCall(place, before.service.interface, result, noticeTextsOfOwner(now));
  };
  return { outcome: postReportedMessage(before, call, sources).then(finish) };
}

/**
 * Finds the message of a call; undefined: there is no call to make any more. That is so if the message was deleted, or
 * moved to a stream in which the bot may not read it.
 */
async function findReportedMessage(
  key: ActorKey,
  realm: RealmId,
  call: WaitingWebhookCall,
  sources: ActorInputSources,
): Promise<ReportedMessage | undefined> {
  const [record] = await sources.store.getMessages(realm, [call.message]);
  const directory = await sources.loadDirectory(realm);
  const bot = directory.user(botIdOfWebhookActorKey(key));
  const service = bot && directory.bot(bot.id)?.service;
  if (!record || !bot?.isActive || !service || directory.deactivated) return undefined;
  const message = toStoredMessage(record);
  const isInItsStream = message.body.stream === call.stream;
  if (!isInItsStream && !(await mayReadMessage(bot, message, directory, sources))) return undefined;
  return { bot, service, message, directory };
}

async function mayReadMessage(
  user: DirectoryUser,
  message: StoredMessage,
  directory: DirectoryView,
  { store }: ActorInputSources,
): Promise<boolean> {
  const { realm } = directory;
  const { stream } = message.body;
  const [member] = await store.getParts([streamMemberPartAddress(realm, stream, user.id)]);
  const isSubscribed = isCurrentStreamMember(toStreamMembershipRecord(member?.value));
  const subscribed = (of: number): boolean => of === stream && isSubscribed;
  const reader = new UserMessageReader(store, makeViewerWithoutFlags({ realm, user, directory, subscribed }));
  return (await reader.findReadableInAnyView(message)) !== undefined;
}

/** Texts of notices to the bot's owner; English ones if it has none. */
const noticeTextsOfOwner = ({ bot, directory }: ReportedMessage): NoticeTexts =>
  bot.botOwner === null ? noticeTextsIn('en') : noticeTextsOfUser(directory, bot.botOwner);

/**
 * Names the message to the bot's owner, in Markdown. A message that the owner may read is linked. Names are only in the
 * link's address, where they are encoded, because a stranger chose them.
 */
async function formatMessagePhrase(
  reported: ReportedMessage,
  origin: string,
  sources: ActorInputSources,
): Promise<string> {
  const { bot, message, directory } = reported;
  const { reportedMessage: texts } = noticeTextsOfOwner(reported);
  const { stream: id, topic } = message.body;
  if (id === 0) return texts.direct;
  const owner = bot.botOwner === null ? undefined : directory.user(bot.botOwner);
  const stream = directory.stream(toStreamId(id));
  if (!owner || !stream || !(await mayReadMessage(owner, message, directory, sources))) return texts.hidden;
  return texts.linked(makeTopicMessageUrl(origin, stream, topic, message.id));
}

async function postReportedMessage(
  { bot, service, message, directory }: ReportedMessage,
  { trigger, origin }: WaitingWebhookCall,
  { services }: ActorInputSources,
): Promise<WebhookCallResult> {
  const token = services.secrets.unsealOrUndefined(service.tokenSealed);
  // The token was sealed under a former server secret.
  if (token === undefined) return { kind: 'failed', reason: { fault: 'voidToken' } };
  const { stream: id } = message.body;
  const stream = id === 0 ? undefined : directory.stream(toStreamId(id));
  const called = { bot, service, token, message, trigger, origin };
  const post = makeWebhookRequestOrRefusal(called, directory, stream);
  if ('fault' in post) return { kind: 'failed', reason: post };
  return services.webhooks.postWithoutRedirects(post);
}

function outcomeOfWebhookCall(
  place: WebhookMessagePlace,
  form: number,
  answer: WebhookCallResult,
  texts: NoticeTexts,
): WebhookCallOutcome {
  const say = ({ fault, detail = '' }: WebhookFault): string => texts.webhookFaults[fault](detail);
  if (answer.kind === 'unreachable') return { place, is: 'later', reason: say(answer.reason) };
  if (answer.kind === 'failed') return { place, is: 'failed', reason: say(answer.reason) };
  const { status, body } = answer;
  if (status < 200 || status > 299)
    return { place, is: 'failed', reason: say({ fault: 'status', detail: `${status}` }) };
  const reply = parseWebhookReply(body, form);
  if (reply === 'nothing') return { is: 'done' };
  if ('wrong' in reply) return { place, is: 'unclear', reason: say(reply.wrong) };
  return { place, is: 'reply', ...reply };
}
