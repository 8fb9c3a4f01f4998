/** Operations of the API for tokens of devices for push notifications (users.md § Small operations). */
import { type RealmId, realmActorKey, type UserId, userActorKey } from '#model';
import { type PushTokenArgs, realmActorCommands, userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ApiOperation, defineOperation, type ForwardedCommand, forwardCommand } from '../../operation.js';
import { declareOptionalTextParameter, declareTextParameter } from '../../parameters.js';

const MAX_TOKEN = 4_096;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

type Service = 'apns' | 'gcm';

/** Checks a push token of a device. @throws ApiError */
function check(service: Service, token: string): void {
  if (token === '' || token.length > MAX_TOKEN) throw apiError('TOKEN_LENGTH');
  if (service === 'apns' && !BASE64.test(token)) throw apiError('APNS_TOKEN');
}

const token = { token: declareTextParameter('form', 'Of the device, from its push service.') } as const;

/** Stores the token; then the directory shows that the account has a device. */
const add = (realm: RealmId, caller: UserId, args: PushTokenArgs & { readonly app: string | null }): ForwardedCommand =>
  forwardCommand({
    to: userActorKey(realm, caller),
    command: userActorCommands.addPushToken,
    args,
    followedBy: forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.notePushDevice, args: {} }),
  });

const remove = (id: string, path: string, service: Service): ApiOperation =>
  defineOperation({
    id,
    method: 'DELETE',
    path,
    guard: 'human',
    summary: 'Push nothing more to this device.',
    parameters: token,
    run({ params, realm, caller }) {
      check(service, params.token);
      return forwardCommand({
        to: userActorKey(realm, caller),
        command: userActorCommands.removePushToken,
        args: { service, token: params.token },
      });
    },
  });

const addApnsToken = defineOperation({
  id: 'add-apns-token',
  method: 'POST',
  path: '/users/me/apns_device_token',
  guard: 'human',
  summary: 'Push notifications to this Apple device.',
  parameters: { ...token, appid: declareOptionalTextParameter('form', 'App that the token is of.') },
  run({ params, realm, caller }) {
    check('apns', params.token);
    return add(realm, caller, { service: 'apns', token: params.token, app: params.appid ?? null });
  },
});

const addGcmToken = defineOperation({
  id: 'add-gcm-token',
  method: 'POST',
  path: '/users/me/android_gcm_reg_id',
  guard: 'human',
  summary: 'Push notifications to this Android device.',
  parameters: token,
  run({ params, realm, caller }) {
    check('gcm', params.token);
    return add(realm, caller, { service: 'gcm', token: params.token, app: null });
  },
});

export const PUSH_TOKEN_OPERATIONS: readonly ApiOperation[] = [
  addApnsToken,
  remove('remove-apns-token', '/users/me/apns_device_token', 'apns'),
  addGcmToken,
  remove('remove-gcm-token', '/users/me/android_gcm_reg_id', 'gcm'),
] as readonly ApiOperation[];
