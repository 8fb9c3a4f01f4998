/** Makes the webhook calls that are due, and returns the outcome of each. */

import { type StoredMessage, toStoredMessage } from '#domain/messages';
import { makeWebhookRequestOrRefusal, parseWebhookReply, type WebhookCallResult } from '#domain/webhooks';
import { type ActorKey, parseActorKey, type RealmId, toStreamId, toUserId } from '#model';
import type { DirectoryView } from '#model/records';
import type { ActorInputSources } from '../services.js';
import type { WaitingWebhookCall } from './state.js';

/** Stream and topic of the message at the time of the call. */
export interface WebhookMessagePlace {
  /** Stream of the message; 0: it is a direct message. */
  readonly stream: number;
  readonly topic: string;
  readonly participants: readonly number[];
}

export type WebhookCallOutcome = { readonly call: WaitingWebhookCall } & (
  | { readonly is: 'done' }
  | { readonly is: 'later'; readonly place: WebhookMessagePlace; readonly reason: string }
  | { readonly is: 'failed'; readonly place: WebhookMessagePlace; readonly reason: string }
  | { readonly is: 'reply'; readonly place: WebhookMessagePlace; readonly say: string; readonly widget: string | null }
);

export const botIdOfWebhookActorKey = (key: ActorKey) => toUserId(Number(parseActorKey(key).idWithinRealm));

const placeOfMessage = ({ body, participants }: StoredMessage): WebhookMessagePlace => ({
  stream: body.stream,
  topic: body.topic,
  participants,
});

export async function performWebhookCalls(
  key: ActorKey,
  realm: RealmId,
  calls: readonly WaitingWebhookCall[],
  sources: ActorInputSources,
): Promise<readonly WebhookCallOutcome[]> {
  const directory = await sources.loadDirectory(realm);
  const records = await sources.store.getMessages(
    realm,
    calls.map(({ message }) => message),
  );
  return Promise.all(
    calls.map((call, i) => {
      const record = records[i];
      // A webhook is not called for a message that was deleted meanwhile.
      return record ? performWebhookCall(key, call, toStoredMessage(record), directory, sources) : { call, is: 'done' };
    }),
  );
}

/** Reason of a failed call whose token was sealed under a former server secret. */
const VOID_TOKEN_REASON = 'its token is void since the server secret was changed, and its settings show a new one';

async function performWebhookCall(
  key: ActorKey,
  call: WaitingWebhookCall,
  message: StoredMessage,
  directory: DirectoryView,
  { services }: ActorInputSources,
): Promise<WebhookCallOutcome> {
  const bot = directory.user(botIdOfWebhookActorKey(key));
  const service = bot && directory.bot(bot.id)?.service;
  if (!bot?.isActive || !service || directory.deactivated) return { call, is: 'done' };
  const place = placeOfMessage(message);
  const { trigger, origin } = call;
  const token = services.secrets.unsealOrUndefined(service.tokenSealed);
  if (token === undefined) return { call, place, is: 'failed', reason: VOID_TOKEN_REASON };
  const called = { bot, service, token, message, trigger, origin };
  const post = makeWebhookRequestOrRefusal(
    called,
    directory,
    place.stream === 0 ? undefined : directory.stream(toStreamId(place.stream)),
  );
  if (typeof post === 'string') return { call, place, is: 'failed', reason: post };
  return outcomeOfWebhookCall(call, place, service.interface, await services.webhooks.postWithoutRedirects(post));
}

function outcomeOfWebhookCall(
  call: WaitingWebhookCall,
  place: WebhookMessagePlace,
  form: number,
  answer: WebhookCallResult,
): WebhookCallOutcome {
  if (answer.kind === 'unreachable') return { call, place, is: 'later', reason: answer.reason };
  if (answer.kind === 'failed') return { call, place, is: 'failed', reason: answer.reason };
  const { status, body } = answer;
  if (status < 200 || status > 299)
    return { call, place, is: 'failed', reason: `its server answered with status ${status}` };
  const reply = parseWebhookReply(body, form);
  if (reply === 'nothing') return { call, is: 'done' };
  if ('wrong' in reply) return { call, place, is: 'failed', reason: reply.wrong };
  return { call, place, is: 'reply', ...reply };
}
