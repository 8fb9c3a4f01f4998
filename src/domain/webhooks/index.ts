/**
 * Outgoing webhooks (users.md § Bots): a bot's own server gets the messages that concern the bot, and may reply.
 *
 * The webhook actor drives a call: `forms.ts` makes the request in the format of the bot's service (generic or Slack),
 * `caller.ts` sends it, and `forms.ts` reads the reply from the response. `base/ip-networks.ts` decides which addresses
 * the call may connect to. The image proxy and link previews use the same filter, and `get.ts` for their requests.
 *
 * Invariants: a call never connects to an address that the filter forbids, follows no redirect, lasts at most 10
 * seconds and reads at most 256 KiB. `WebhookCaller.postWithoutRedirects` never rejects: every failure is a result with
 * a reason, and only a call without a connection may be repeated.
 *
 * The webhook actor, the image proxy, link previews, push notifications and the server's wiring may import this folder.
 */
export { WebhookCaller, type WebhookCallResult } from './caller.js';
export { makeWebhookRequestOrRefusal, parseWebhookReply } from './forms.js';
export { getOkFollowingRedirects, HttpGetError, type HttpGetFault } from './get.js';
