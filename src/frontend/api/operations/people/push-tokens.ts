/** Operations of the API for tokens of devices for push notifications (users.md § Small operations). */
import { type RealmId, realmActorKey, type UserId, userActorKey } from '#model';
import { type PushTokenArgs, realmActorCommands, userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ApiOperation, defineOperation, type ForwardedCommand, forwardCommand } from '../../operation.js';
import { declareOptionalTextParameter, declareRequiredTextParameter } from '../../parameters.js';

const MAX_PUSH_TOKEN_CHARACTERS = 4_096;
const BASE64_PATTERN = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

type MobilePushService = 'apns' | 'gcm';

/** Checks a push token of a device. @throws ApiError */
function checkPushToken(service: MobilePushService, token: string): void {
  if (token === '' || token.length > MAX_PUSH_TOKEN_CHARACTERS) throw apiError('TOKEN_LENGTH');
  if (service === 'apns' && !BASE64_PATTERN.test(token)) throw apiError('APNS_TOKEN');
}

const pushTokenParameter = {
  token: declareRequiredTextParameter('form', 'Of the device, from its push service.'),
} as const;

/** Stores the token; then the directory shows that the account has a device. */
const makeAddPushTokenCommand = (
  realm: RealmId,
  caller: UserId,
  args: PushTokenArgs & { readonly app: string | null },
): ForwardedCommand =>
  forwardCommand({
    to: userActorKey(realm, caller),
    command: userActorCommands.addPushToken,
    args,
    followedBy: forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.notePushDevice, args: {} }),
  });

const defineRemovePushTokenOperation = (id: string, path: string, service: MobilePushService): ApiOperation =>
  defineOperation({
    id,
    method: 'DELETE',
    path,
    guard: 'human',
    summary: 'Push nothing more to this device.',
    parameters: pushTokenParameter,
    run({ params, realm, caller }) {
      checkPushToken(service, params.token);
      return forwardCommand({
        to: userActorKey(realm, caller),
        command: userActorCommands.removePushToken,
        args: { service, token: params.token },
      });
    },
  });

const addApnsTokenOperation = defineOperation({
  id: 'add-apns-token',
  method: 'POST',
  path: '/users/me/apns_device_token',
  guard: 'human',
  summary: 'Push notifications to this Apple device.',
  parameters: { ...pushTokenParameter, appid: declareOptionalTextParameter('form', 'App that the token is of.') },
  run({ params, realm, caller }) {
    checkPushToken('apns', params.token);
    return makeAddPushTokenCommand(realm, caller, { service: 'apns', token: params.token, app: params.appid ?? null });
  },
});

const addGcmTokenOperation = defineOperation({
  id: 'add-gcm-token',
  method: 'POST',
  path: '/users/me/android_gcm_reg_id',
  guard: 'human',
  summary: 'Push notifications to this Android device.',
  parameters: pushTokenParameter,
  run({ params, realm, caller }) {
    checkPushToken('gcm', params.token);
    return makeAddPushTokenCommand(realm, caller, { service: 'gcm', token: params.token, app: null });
  },
});

export const PUSH_TOKEN_OPERATIONS: readonly ApiOperation[] = [
  addApnsTokenOperation,
  defineRemovePushTokenOperation('remove-apns-token', '/users/me/apns_device_token', 'apns'),
  addGcmTokenOperation,
  defineRemovePushTokenOperation('remove-gcm-token', '/users/me/android_gcm_reg_id', 'gcm'),
] as readonly ApiOperation[];
