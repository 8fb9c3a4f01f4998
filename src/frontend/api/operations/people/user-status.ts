/**
 * Operations of the API for user status, and for the progress of new users: hotspots, tutorial (users.md § User status,
 * § Small operations).
 */
import { Type } from 'typebox';
import { completeEmojiFields, makeEmojiApiFields, requireUsableEmoji } from '#domain/emoji';
import { emailDomainOfOrigin, isHotspotName } from '#domain/people';
import { realmActorKey, userActorKey } from '#model';
import { realmActorCommands, type UserStatusEmoji, userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ApiCall, defineOperation, forwardCommand } from '../../operation.js';
import {
  declareOptionalBooleanParameter,
  declareOptionalTextParameter,
  declareRequiredTextParameter,
} from '../../parameters.js';

const MAX_STATUS_TEXT_CHARACTERS = 60;

interface StatusEmojiParams {
  readonly emoji_name: string | undefined;
  readonly emoji_code: string | undefined;
  readonly reaction_type: string | undefined;
}

/**
 * Returns the status emoji as stored and as shown to clients; null: remove the emoji; undefined: no change.
 * @throws ApiError
 */
async function resolveStatusEmoji(call: ApiCall<StatusEmojiParams>): Promise<UserStatusEmoji | null | undefined> {
  const { emoji_name: name, emoji_code: code = null, reaction_type: type = null } = call.params;
  if (name === undefined) {
    if (code !== null || type !== null) throw apiError('STATUS_WITHOUT_EMOJI_NAME');
    return undefined;
  }
  if (name === '') return null;
  const resolve = () => requireUsableEmoji(completeEmojiFields({ name, code, type }, call.directory), call.directory);
  let emoji: ReturnType<typeof resolve>;
  try {
    emoji = resolve();
  } catch {
    // The emoji may be new and known to the client from another frontend.
    await call.refresh();
    emoji = resolve();
  }
  return { ...emoji, shown: makeEmojiApiFields(emoji, call.directory) };
}

const updateOwnStatusOperation = defineOperation({
  id: 'update-status',
  method: 'POST',
  path: '/users/me/status',
  guard: 'human',
  summary: 'Set or clear own status.',
  parameters: {
    status_text: {
      in: 'form',
      encoding: 'string',
      schema: Type.String({ maxLength: MAX_STATUS_TEXT_CHARACTERS }),
      required: false,
      description: 'Empty: none.',
    },
    away: declareOptionalBooleanParameter('form', 'Older form of turning `presence_enabled` off (true) and on.'),
    emoji_name: declareOptionalTextParameter('form', 'Name of the emoji; code and type follow from it. Empty: none.'),
    emoji_code: declareOptionalTextParameter('form', 'Code points in hexadecimal, or id of a custom emoji.'),
    reaction_type: declareOptionalTextParameter('form', "'unicode_emoji', 'realm_emoji' or 'service_extra_emoji'."),
  },
  async run(call) {
    const { status_text, away, emoji_name } = call.params;
    if (status_text === undefined && away === undefined && emoji_name === undefined) throw apiError('NO_NEW_STATUS');
    const emoji = await resolveStatusEmoji(call);
    const args = {
      ...(status_text === undefined ? {} : { text: status_text.trim() }),
      ...(away === undefined ? {} : { away }),
      ...(emoji === undefined ? {} : { emoji }),
    };
    return forwardCommand({
      to: realmActorKey(call.realm),
      command: realmActorCommands.setStatus,
      args: { ...args, domain: emailDomainOfOrigin(call.site) },
    });
  },
});

export const markHotspotAsReadOperation = defineOperation({
  id: 'mark-hotspot-as-read',
  method: 'POST',
  path: '/users/me/hotspots',
  guard: 'human',
  summary: 'Have seen a hint for new users.',
  parameters: { hotspot: declareRequiredTextParameter('form', 'Its name.') },
  run({ params: { hotspot }, realm, caller }) {
    if (!isHotspotName(hotspot)) throw apiError('UNKNOWN_HOTSPOT', { hotspot });
    return forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.markHotspot,
      args: { hotspot },
    });
  },
});

const setTutorialStatusOperation = defineOperation({
  id: 'set-tutorial-status',
  method: 'POST',
  path: '/users/me/tutorial_status',
  guard: 'human',
  summary: 'Begin or end the tutorial of new users.',
  parameters: {
    status: declareRequiredTextParameter('form', "'started' or 'finished'; anything else changes nothing."),
  },
  run({ params: { status }, realm, caller }) {
    if (status !== 'started' && status !== 'finished') return { fields: {} };
    return forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.setTutorial,
      args: { status },
    });
  },
});

export const USER_STATUS_AND_ONBOARDING_OPERATIONS = [
  updateOwnStatusOperation,
  markHotspotAsReadOperation,
  setTutorialStatusOperation,
];
