export { type Answer, CALL_MS, type Post, WebhookCaller } from './caller.js';
export { type Called, postOf, type Reply, replyOf } from './forms.js';
export { Forbidden, parseNetworks, Reachable } from './networks.js';
