/** Operations of the API for accounts: list, create, own account, login (users.md). */
import { CachedResponseFields, type EncodedJson, type JsonObject, memoizeByObject } from '#base';
import { avatarUrlOfUser, formatUserForApi, getEncodedUserList, isSystemBot } from '#domain/people';
import { verifyJwtAndGetClaims } from '#frontend/single-sign-on';
import { realmActorKey, toUserId } from '#model';
import { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { ApiProfileData, DirectoryUser } from '#model/records';
import { logInAndFetchApiKeyFields, makePasswordLoginRequest, makeTrustedLogInCommand } from '../../log-in.js';
import { NOTE_LOG_IN_REQUEST_HEADERS, reportLogInToUserActor } from '../../note-log-in.js';
import { type ApiCall, defineOperation, forwardCommand, type ResponseFieldsAnswer } from '../../operation.js';
import {
  declareBooleanParameterWithDefault,
  declareOptionalTextParameter,
  declarePathIdParameter,
  declarePathTextParameter,
  declareRequiredTextParameter,
} from '../../parameters.js';

/**
 * Makes the response body of a list of users, one for each list. The encoded list is the same object until an account
 * changes.
 */
const makeUserListResponse = memoizeByObject((members: EncodedJson) => new CachedResponseFields({ members }));

export const getAllUsersOperation = defineOperation({
  id: 'get-users',
  method: 'GET',
  path: '/users',
  guard: 'user',
  summary: 'All users of the organization, deactivated ones and bots included.',
  parameters: {
    client_gravatar: declareBooleanParameterWithDefault('query', true, 'The client computes gravatar URLs itself.'),
    include_custom_profile_fields: declareBooleanParameterWithDefault('query', false, "Add each human's profile_data."),
  },
  run({ params, directory, caller }) {
    const { client_gravatar, include_custom_profile_fields } = params;
    const options = { clientGravatar: client_gravatar, profile: include_custom_profile_fields };
    return { ready: makeUserListResponse(getEncodedUserList(directory, directory.user(caller)!, options)) };
  },
});

const userFormatParameters = {
  client_gravatar: declareBooleanParameterWithDefault('query', true, 'The client computes gravatar URLs itself.'),
  include_custom_profile_fields: declareBooleanParameterWithDefault('query', false, 'Add profile_data (humans).'),
} as const;

/** Makes the answer with one user; an unknown user is looked up again at the end of the log. @throws ApiError */
async function answerWithUserOrThrow(
  call: ApiCall<UserFormatParams>,
  find: () => DirectoryUser | undefined,
): Promise<ResponseFieldsAnswer> {
  if (!find()) await call.refresh();
  const user = find();
  if (!user || isSystemBot(user)) throw apiError('NO_SUCH_USER');
  const { client_gravatar, include_custom_profile_fields } = call.params;
  const viewer = call.directory.user(call.caller);
  const profile = include_custom_profile_fields ? call.directory : undefined;
  const options = { clientGravatar: client_gravatar, profile };
  return { fields: { user: formatUserForApi(user, viewer, options) } };
}

interface UserFormatParams {
  readonly client_gravatar: boolean;
  readonly include_custom_profile_fields: boolean;
}

export const getUserOperation = defineOperation({
  id: 'get-user',
  method: 'GET',
  path: '/users/{user_id}',
  guard: 'user',
  summary: 'One user by id, deactivated ones and bots included.',
  parameters: { user_id: declarePathIdParameter('The user.'), ...userFormatParameters },
  run: (call) => answerWithUserOrThrow(call, () => call.directory.user(toUserId(call.params.user_id))),
});

export const getUserByEmailOperation = defineOperation({
  id: 'get-user-by-email',
  method: 'GET',
  path: '/users/{email}',
  guard: 'user',
  summary: 'One user by API e-mail, ignoring case.',
  parameters: { email: declarePathTextParameter('API e-mail of the user.'), ...userFormatParameters },
  run(call) {
    return answerWithUserOrThrow(call, () => call.directory.userByApiEmail(call.params.email));
  },
});

export const getOwnUserOperation = defineOperation({
  id: 'get-own-user',
  method: 'GET',
  path: '/users/me',
  guard: 'user',
  summary: 'The own account.',
  parameters: {},
  run(call) {
    const newest = call.newestReceivedMessageId();
    if (newest instanceof Promise) return newest.then((id) => ({ ready: getOrMakeOwnUserResponse(call, id) }));
    return { ready: getOrMakeOwnUserResponse(call, newest) };
  },
});

export const createUserOperation = defineOperation({
  id: 'create-user',
  method: 'POST',
  path: '/users',
  guard: 'admin',
  summary: 'Create an account.',
  parameters: {
    email: declareRequiredTextParameter('form', 'Address of the account.'),
    password: declareRequiredTextParameter('form', 'At least 6 characters and hard enough to guess.'),
    full_name: declareRequiredTextParameter('form', 'Name shown to others.'),
  },
  run(call) {
    const { params, realm } = call;
    return forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.createUser,
      args: { ...params, origin: call.site },
    });
  },
});

export const fetchApiKeyByPasswordOperation = defineOperation({
  id: 'fetch-api-key',
  method: 'POST',
  path: '/fetch_api_key',
  guard: 'none',
  compressed: false,
  headers: NOTE_LOG_IN_REQUEST_HEADERS,
  summary: 'Exchange address and password for the API key.',
  parameters: {
    username: declareRequiredTextParameter('form', 'Real address of the account.'),
    password: declareRequiredTextParameter('form', 'Its password.'),
  },
  async run(call) {
    const { logIn, user } = await makePasswordLoginRequest(call);
    // For an unknown address, the command goes to the login guard, which always refuses.
    if (!user) return { fields: { ...(await call.send(logIn)) } };
    const fields = await logInAndFetchApiKeyFields(call, logIn, user);
    await reportLogInToUserActor(call, user.id);
    return { fields: { ...fields } };
  },
});

/** Makes the profile of an account in the form of GET /users/me. */
function formatOwnProfileForApi({ directory }: Pick<ApiCall<never>, 'directory'>, user: DirectoryUser): JsonObject {
  const { bot_type, bot_owner_id, ...own } = formatUserForApi(user, user, {
    clientGravatar: false,
    profile: directory,
  });
  return { ...own, avatar_url: avatarUrlOfUser(user) } as JsonObject;
}

/**
 * Operation that exchanges a token (JWT), in which a service of the organization signed the account's address, for the
 * API key.
 */
export const fetchApiKeyByJwtOperation = defineOperation({
  id: 'jwt-fetch-api-key',
  method: 'POST',
  path: '/jwt/fetch_api_key',
  guard: 'none',
  compressed: false,
  headers: NOTE_LOG_IN_REQUEST_HEADERS,
  summary: 'Exchange a signed token (JWT) for the API key; refused where the server has no key of such tokens.',
  parameters: {
    token: { ...declareOptionalTextParameter('form', 'The token.'), default: '' },
    include_profile: declareBooleanParameterWithDefault('form', false, "With the account's profile."),
  },
  async run(call) {
    const { realm, params, directory, jwtKeysBySubdomain } = call;
    const key = Object.hasOwn(jwtKeysBySubdomain, directory.subdomain)
      ? jwtKeysBySubdomain[directory.subdomain]
      : undefined;
    if (!key) throw apiError('JWT_NOT_ENABLED');
    if (params.token === '') throw apiError('NO_WEB_TOKEN');
    const claims = await verifyJwtAndGetClaims(key, params.token, call.now);
    if (!claims) throw apiError('BAD_WEB_TOKEN');
    if (typeof claims.email !== 'string' || claims.email === '') throw apiError('WEB_TOKEN_WITHOUT_EMAIL');
    if (directory.deactivated) throw apiError('REALM_DEACTIVATED');
    await call.refresh();
    const user = call.directory.userByEmail(claims.email);
    const isAddress = user?.deliveryEmail.toLowerCase() === claims.email.toLowerCase();
    if (!user || !isAddress || user.botType !== null || isSystemBot(user)) throw apiError('AUTHENTICATION_FAILED');
    const fields = await logInAndFetchApiKeyFields(call, makeTrustedLogInCommand(realm, user.id), user);
    await reportLogInToUserActor(call, user.id);
    if (!params.include_profile) return { fields: { ...fields } };
    return { fields: { ...fields, user: formatOwnProfileForApi(call, user) } };
  },
});

export const regenerateOwnApiKeyOperation = defineOperation({
  id: 'regenerate-own-api-key',
  method: 'POST',
  path: '/users/me/api_key/regenerate',
  guard: 'user',
  compressed: false,
  summary: 'A new API key for oneself; the old one is good for nothing any more.',
  parameters: {},
  async run(call) {
    const { realm, secrets } = call;
    const { sealed } = await call.send(
      forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.regenerateKey, args: {} }),
    );
    return { fields: { api_key: secrets.unseal(String(sealed)) } };
  },
});

interface CachedOwnUserResponse {
  readonly profile: ApiProfileData;
  readonly newest: number;
  readonly ready: CachedResponseFields;
}

/** Answers of GET /users/me by directory record; a changed account has another record. */
const ownUserResponseByUser = new WeakMap<DirectoryUser, CachedOwnUserResponse>();

function getOrMakeOwnUserResponse(
  { caller, directory }: Pick<ApiCall<never>, 'caller' | 'directory'>,
  newest: number,
): CachedResponseFields {
  const user = directory.user(caller);
  if (!user) throw apiError('ACCOUNT_DEACTIVATED');
  const profile = directory.profile(caller);
  const known = ownUserResponseByUser.get(user);
  if (known?.newest === newest && known.profile === profile) return known.ready;
  const { bot_type, bot_owner_id, ...own } = formatUserForApi(user, user, {
    clientGravatar: false,
    profile: directory,
  });
  const ready = new CachedResponseFields({ ...own, avatar_url: avatarUrlOfUser(user), max_message_id: newest });
  ownUserResponseByUser.set(user, { profile, newest, ready });
  return ready;
}
