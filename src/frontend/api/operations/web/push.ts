/**
 * Push notifications of the web client: the browser subscribes at its push service with the server's key, and hands the
 * subscription over. It belongs to the session, and ends with it. Paths are outside of /api/v1.
 */
import { findInvalidSubscriptionField, MAX_PUSH_ENDPOINT_CHARACTERS, sealWebPushSubscription } from '#domain/push';
import { realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ApiOperation, defineOperation, forwardCommand } from '../../operation.js';
import { declareRequiredTextParameter } from '../../parameters.js';

export const getWebPushStatusOperation = defineOperation({
  id: 'web-get-push',
  method: 'GET',
  path: '/web/push',
  root: true,
  guard: 'human',
  webClient: true,
  summary: 'The key for a subscription (null: push notifications are off), and whether this session has one.',
  parameters: {},
  run({ browserPush, directory, caller, callerSessionId: own }) {
    const session = directory.sessionsOf(caller)?.sessions.find(({ id }) => id === own);
    return { fields: { key: browserPush?.key ?? null, subscribed: session?.push !== undefined } };
  },
});

/** Subscribing again replaces the subscription of the session. */
export const subscribeSessionToWebPushOperation = defineOperation({
  id: 'web-subscribe-push',
  method: 'POST',
  path: '/web/push',
  root: true,
  guard: 'human',
  webClient: true,
  summary: 'Push notifications to this browser while its session lasts.',
  parameters: {
    endpoint: {
      ...declareRequiredTextParameter('form', 'Address at the push service.'),
      maxCharacters: MAX_PUSH_ENDPOINT_CHARACTERS,
    },
    p256dh: declareRequiredTextParameter('form', 'Public key of the browser, base64url.'),
    auth: declareRequiredTextParameter('form', 'Secret of the browser, base64url.'),
  },
  run({ browserPush, params, realm, secrets, callerSessionId }) {
    if (callerSessionId === undefined) throw apiError('NO_SUCH_SESSION');
    if (!browserPush) throw apiError('WEB_PUSH_OFF');
    const problem = findInvalidSubscriptionField(params, browserPush.reachable);
    if (problem !== undefined) throw apiError('INVALID_PUSH_SUBSCRIPTION', { field: problem });
    return forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.setSessionPush,
      args: { session: callerSessionId, push: sealWebPushSubscription(secrets, params) },
    });
  },
});

export const unsubscribeSessionFromWebPushOperation = defineOperation({
  id: 'web-unsubscribe-push',
  method: 'DELETE',
  path: '/web/push',
  root: true,
  guard: 'human',
  webClient: true,
  summary: 'Push nothing more to this browser.',
  parameters: {},
  run({ realm, callerSessionId }) {
    if (callerSessionId === undefined) throw apiError('NO_SUCH_SESSION');
    return forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.setSessionPush,
      args: { session: callerSessionId, push: null },
    });
  },
});

export const WEB_PUSH_OPERATIONS = [
  getWebPushStatusOperation,
  subscribeSessionToWebPushOperation,
  unsubscribeSessionFromWebPushOperation,
] as unknown as readonly ApiOperation[];
