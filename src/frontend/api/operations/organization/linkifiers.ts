/** Operations of the API for linkifiers and code playgrounds of the organization (realm.md). */
import { Type } from 'typebox';
import { formatLinkifierForApi } from '#domain/people';
import { realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { apiError, validationError } from '#model/errors';
import { defineOperation, forwardCommand } from '../../operation.js';
import { declarePathIdParameter, declareTextParameter } from '../../parameters.js';

export const getLinkifiersOperation = defineOperation({
  id: 'get-linkifiers',
  method: 'GET',
  path: '/realm/linkifiers',
  guard: 'user',
  summary: 'Patterns whose matches become links, in the order in which they apply.',
  parameters: {},
  run: ({ directory }) => ({ fields: { linkifiers: directory.linkifiers().map(formatLinkifierForApi) } }),
});

/**
 * Maximum of characters of a pattern or template: each process keeps all linkifiers, and each change sends all of them.
 */
const MAX_LINKIFIER_TEXT = 1_000;
const short = Type.String({ maxLength: MAX_LINKIFIER_TEXT });

const content = {
  pattern: { ...declareTextParameter('form', 'Regular expression (RE2) with named groups.'), schema: short },
  url_template: { ...declareTextParameter('form', 'RFC 6570 template with the names of those groups.'), schema: short },
} as const;

const filterId = { filter_id: declarePathIdParameter('The linkifier.') } as const;

export const addLinkifierOperation = defineOperation({
  id: 'add-linkifier',
  method: 'POST',
  path: '/realm/filters',
  guard: 'admin',
  summary: 'Add a linkifier.',
  parameters: content,
  run: ({ params, realm }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.addLinkifier, args: { ...params } }),
});

export const updateLinkifierOperation = defineOperation({
  id: 'update-linkifier',
  method: 'PATCH',
  path: '/realm/filters/{filter_id}',
  guard: 'admin',
  summary: 'Change a linkifier.',
  parameters: { ...filterId, ...content },
  run: ({ params, realm }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.updateLinkifier, args: { ...params } }),
});

export const removeLinkifierOperation = defineOperation({
  id: 'remove-linkifier',
  method: 'DELETE',
  path: '/realm/filters/{filter_id}',
  guard: 'admin',
  summary: 'Remove a linkifier.',
  parameters: filterId,
  run: ({ params, realm }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.removeLinkifier, args: { ...params } }),
});

const MAX_LANGUAGE = 40;

/**
 * Returns the trimmed language of a code playground.
 * @throws ApiError that names the parameter `pygments_language`, as the API prescribes
 */
function checkLanguage(given: string): string {
  const language = given.trim();
  if ([...language].length > MAX_LANGUAGE) {
    throw validationError(`pygments_language is too long (limit: ${MAX_LANGUAGE} characters)`);
  }
  if (!/^[ a-zA-Z0-9_+-./#]*$/.test(language)) throw apiError('PLAYGROUND_LANGUAGE');
  return language;
}

export const addPlaygroundOperation = defineOperation({
  id: 'add-code-playground',
  method: 'POST',
  path: '/realm/playgrounds',
  guard: 'admin',
  summary: 'Add a place where code blocks of a language can be run.',
  parameters: {
    url_prefix: {
      in: 'form',
      encoding: 'string',
      schema: Type.String({ check: 'url', trim: true }),
      required: true,
      description: 'Address to which the code is appended.',
    },
    highlighter_language: {
      ...declareTextParameter('form', 'Language as the highlighter names it.'),
      aliases: ['pygments_language'],
    },
    name: declareTextParameter('form', 'Name of the playground.'),
  },
  run({ params, realm }) {
    const language = checkLanguage(params.highlighter_language);
    const args = { name: params.name.trim(), language, url_prefix: params.url_prefix };
    return forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.addPlayground, args });
  },
});

export const removePlaygroundOperation = defineOperation({
  id: 'remove-code-playground',
  method: 'DELETE',
  path: '/realm/playgrounds/{playground_id}',
  guard: 'admin',
  summary: 'Remove a playground.',
  parameters: { playground_id: declarePathIdParameter('The playground.') },
  run: ({ params, realm }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.removePlayground, args: { ...params } }),
});
