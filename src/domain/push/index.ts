/**
 * Push notifications: to browsers (Web Push, RFC 8030, 8188, 8291, 8292) and to mobile clients by way of an HTTP
 * gateway that the operator runs (docs/push.md).
 *
 * - `vapid.ts`: the key pair by which push services know this server.
 * - `subscription.ts`: subscriptions of browsers, checked and sealed.
 * - `payload.ts`: the content of a push, for browsers and for the gateway.
 * - `sender.ts`: the requests, and what follows from the answers. `web-push` encrypts and signs; the request itself is
 *   that of outgoing webhooks, with their rules for addresses, time, size and redirects.
 *
 * Invariants: a push never goes to an address that the filter forbids. The Store holds endpoints and secrets of
 * browsers in sealed form only. `PushNotificationSender` never rejects.
 *
 * The push actor, the user actor, the frontend's operations for sessions and the server's wiring may import this
 * folder.
 */
export {
  makeBrowserNotificationRemoval,
  makeBrowserPushMessage,
  makeGatewayNotificationRemoval,
  makeGatewayPushBody,
  makePushTextBeforeSpoiler,
  type PushDevice,
  type PushedMessage,
} from './payload.js';
export { type PushDeliveryOutcome, PushNotificationSender } from './sender.js';
export {
  findInvalidSubscriptionField,
  MAX_PUSH_ENDPOINT_CHARACTERS,
  sealWebPushSubscription,
  unsealWebPushSubscription,
  type WebPushSubscription,
} from './subscription.js';
export { deriveVapidKeys } from './vapid.js';
