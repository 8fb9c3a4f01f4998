export { CALL_TIMEOUT_MS, type CallResult, WebhookCaller, type WebhookRequest } from './caller.js';
export { parseReply, requestOf, type WebhookCall, type WebhookReply } from './forms.js';
export { AddressFilter, ForbiddenAddress, parseNetworks } from './networks.js';
