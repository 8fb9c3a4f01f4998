/** Operations of the API for bots (users.md § Bots). */
import { Type } from 'typebox';
import type { JsonObject } from '#base';
import { avatarUrlOfUser, emailDomainOfOrigin, formatBotDefaultStreamsForApi } from '#domain/people';
import { makeAvatarPngBySize } from '#domain/pictures';
import { realmActorKey, toUserId } from '#model';
import {
  type ActorCommandName,
  type BotRequestOptions,
  type ActorFieldsReply as ReplyFields,
  realmActorCommands,
} from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryBot, DirectoryUser } from '#model/records';
import { type ApiCall, type ApiOperation, defineOperation, forwardCommand } from '../../operation.js';
import {
  declareOptionalBooleanParameter,
  declareOptionalJsonParameter,
  declareOptionalTextParameter,
  declarePathIdParameter,
  declareRequiredTextParameter,
} from '../../parameters.js';
import { unsealOrRenewApiKey } from '../../readable-key.js';
import { getOnlyUploadedPictureOrThrow, storeAndShowAvatar } from '../../store-picture.js';

/** Maximum of characters of all keys and values of a bot's configuration together. */
const MAX_BOT_CONFIG_CHARACTERS = 10_000;

const ROLE_NUMBERS = [100, 200, 300, 400, 600];

type BotConfig = Readonly<Record<string, string>>;

/** Returns the configuration of a bot unless it is too long. @throws ApiError */
function checkBotConfigLength(config: BotConfig): BotConfig {
  const characters = Object.entries(config).flat().join('');
  if ([...characters].length <= MAX_BOT_CONFIG_CHARACTERS) return config;
  throw apiError('VALIDATION_FAILED', {
    message: `config_data is too long (limit: ${MAX_BOT_CONFIG_CHARACTERS} characters)`,
  });
}

const urlSchema = Type.String({ check: 'url' });
const stringsByNameSchema = Type.Record(Type.String(), Type.String());

/** Parameter of a form: JSON integer with a default. */
const declareOptionalIntegerFormParameter = (fallback: number, description: string) =>
  ({ in: 'form', encoding: 'json', schema: Type.Integer(), required: false, default: fallback, description }) as const;

const botStreamDefaultParameters = {
  default_sending_stream: declareOptionalTextParameter('form', 'Name of the stream of its messages that name none.'),
  default_events_register_stream: declareOptionalTextParameter(
    'form',
    'Name of the stream to which its queues are narrowed.',
  ),
  default_all_public_streams: declareOptionalBooleanParameter(
    'form',
    'Its queues get the messages of all public streams.',
  ),
} as const;

const getOwnActiveBotsOperation = defineOperation({
  id: 'get-bots',
  method: 'GET',
  path: '/bots',
  guard: 'member_human',
  compressed: false,
  summary: 'Own active bots, oldest first.',
  parameters: {},
  async run(call) {
    const { directory, caller } = call;
    const own: { bot: DirectoryBot; user: DirectoryUser }[] = [];
    for (const bot of directory.bots()) {
      const user = directory.user(bot.user);
      if (user?.isActive && user.botOwner === caller) own.push({ bot, user });
    }
    own.sort((a, b) => a.user.joined - b.user.joined || a.user.id - b.user.id);
    const bots: JsonObject[] = [];
    for (const { bot, user } of own) {
      const sealed = { user: bot.user, sealed: bot.keySealed, instead: bot.keySealed };
      bots.push({
        username: user.email,
        full_name: user.fullName,
        api_key: (await unsealOrRenewApiKey(call, sealed)) ?? '',
        avatar_url: avatarUrlOfUser(user),
        ...formatBotDefaultStreamsForApi(bot, (id) => directory.stream(id)),
      });
    }
    return { fields: { bots } };
  },
});

/**
 * Creates or changes a bot, and stores the avatar if the form has a file. With a file the command is sent twice, first
 * as a dry run, because refusals of the command come before those of the picture.
 */
async function sendBotCommandAndStoreAvatar<A extends JsonObject>(
  call: ApiCall<unknown>,
  command: ActorCommandName<'realm', A & BotRequestOptions, ReplyFields>,
  args: A,
  idOf: (answer: JsonObject) => number,
): Promise<JsonObject> {
  const send = (dry: boolean): Promise<JsonObject> =>
    call.send(
      forwardCommand({
        to: realmActorKey(call.realm),
        command,
        args: { ...args, files: countUploadedFiles(call), dry },
      }),
    );
  if (countUploadedFiles(call) === 0) return send(false);
  await send(true);
  const images = await makeAvatarPngBySize(getOnlyUploadedPictureOrThrow(call, 'ONE_FILE').bytes());
  const answer = await send(false);
  return { ...answer, avatar_url: await storeAndShowAvatar(call, toUserId(idOf(answer)), images) };
}

const countUploadedFiles = ({ files }: Pick<ApiCall<unknown>, 'files'>): number =>
  files === 'too large' ? 1 : files.length;

export const createBotOperation = defineOperation({
  id: 'create-bot',
  method: 'POST',
  path: '/bots',
  guard: 'member_human',
  takesFiles: true,
  compressed: false,
  summary: 'Make a bot of which the caller is the owner. One file may be its avatar.',
  parameters: {
    full_name: declareRequiredTextParameter('form', 'Name shown to others; nobody else who is active has it.'),
    short_name: declareRequiredTextParameter('form', 'Beginning of its address.'),
    bot_type: declareOptionalIntegerFormParameter(1, '1 generic, 2 incoming webhook, 3 outgoing webhook.'),
    payload_url: {
      in: 'form',
      encoding: 'json',
      schema: urlSchema,
      required: false,
      default: '',
      description: 'Outgoing webhooks: where messages to the bot are posted.',
    },
    service_name: declareOptionalTextParameter('form', 'Integration of an incoming webhook.'),
    config_data: {
      in: 'form',
      encoding: 'json',
      schema: stringsByNameSchema,
      required: false,
      default: {} as Record<string, string>,
      description: 'What the integration needs to know: strings by name.',
    },
    interface_type: declareOptionalIntegerFormParameter(1, 'Form of the posts: 1 generic, 2 as Slack posts.'),
    ...botStreamDefaultParameters,
  },
  async run(call) {
    const { params, secrets } = call;
    const answer = await sendBotCommandAndStoreAvatar(
      call,
      realmActorCommands.createBot,
      {
        fullName: params.full_name,
        shortName: params.short_name,
        type: params.bot_type,
        payloadUrl: params.payload_url,
        service: params.service_name ?? null,
        config: checkBotConfigLength(params.config_data),
        interface: params.interface_type,
        sending: params.default_sending_stream ?? null,
        events: params.default_events_register_stream ?? null,
        allPublicStreams: params.default_all_public_streams ?? false,
        domain: emailDomainOfOrigin(call.site),
      },
      ({ user_id }) => Number(user_id),
    );
    const { key_sealed, ...fields } = answer;
    return { fields: { ...fields, api_key: secrets.unseal(String(key_sealed)) } };
  },
});

const botIdPathParameter = { bot_id: declarePathIdParameter('The bot.') } as const;

export const updateBotOperation = defineOperation({
  id: 'update-bot',
  method: 'PATCH',
  path: '/bots/{bot_id}',
  guard: 'member_human',
  takesFiles: true,
  summary: 'Change a bot: its owner and administrators may.',
  parameters: {
    ...botIdPathParameter,
    full_name: declareOptionalTextParameter('form', 'New name.'),
    role: declareOptionalJsonParameter(
      'form',
      Type.Enum(ROLE_NUMBERS),
      '100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.',
    ),
    bot_owner_id: declareOptionalJsonParameter('form', Type.Integer(), 'New owner.'),
    config_data: declareOptionalJsonParameter(
      'form',
      stringsByNameSchema,
      'What the integration needs to know; what is not named stays.',
    ),
    service_payload_url: declareOptionalJsonParameter(
      'form',
      urlSchema,
      'Outgoing webhooks: where messages to the bot are posted.',
    ),
    service_interface: declareOptionalIntegerFormParameter(1, 'With service_payload_url: 1 generic, 2 as Slack posts.'),
    ...botStreamDefaultParameters,
  },
  async run(call) {
    const { params } = call;
    const args = {
      bot_id: params.bot_id,
      full_name: params.full_name ?? null,
      role: params.role ?? null,
      bot_owner_id: params.bot_owner_id ?? null,
      config: params.config_data ? checkBotConfigLength(params.config_data) : null,
      payloadUrl: params.service_payload_url ?? null,
      interface: params.service_interface,
      sending: params.default_sending_stream ?? null,
      events: params.default_events_register_stream ?? null,
      allPublicStreams: params.default_all_public_streams ?? null,
    };
    return {
      fields: await sendBotCommandAndStoreAvatar(call, realmActorCommands.updateBot, args, () => params.bot_id),
    };
  },
});

export const regenerateBotApiKeyOperation = defineOperation({
  id: 'regenerate-bot-api-key',
  method: 'POST',
  path: '/bots/{bot_id}/api_key/regenerate',
  guard: 'member_human',
  compressed: false,
  summary: 'Give a bot another API key; the old one is dead.',
  parameters: botIdPathParameter,
  async run(call) {
    const { params, realm, secrets } = call;
    const { sealed } = await call.send(
      forwardCommand({
        to: realmActorKey(realm),
        command: realmActorCommands.regenerateBotKey,
        args: { bot_id: params.bot_id },
      }),
    );
    return { fields: { api_key: secrets.unseal(String(sealed)) } };
  },
});

export const deactivateBotOperation = defineOperation({
  id: 'deactivate-bot',
  method: 'DELETE',
  path: '/bots/{bot_id}',
  // The handler checks that the caller owns the bot; an owner may have become a guest.
  guard: 'user',
  summary: 'Deactivate a bot.',
  parameters: botIdPathParameter,
  run: ({ params, realm }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.deactivateBot,
      args: { bot_id: params.bot_id },
    }),
});

export const BOT_OPERATIONS = [
  getOwnActiveBotsOperation,
  createBotOperation,
  updateBotOperation,
  regenerateBotApiKeyOperation,
  deactivateBotOperation,
] as unknown as readonly ApiOperation[];
