/** Operations of the API for linkifiers and code playgrounds of the organization (realm.md). */
import { Type } from 'typebox';
import {
  formatLinkifierForApi,
  MAX_LINKIFIER_FIELD_CHARACTERS,
  MAX_PLAYGROUND_LANGUAGE_CHARACTERS,
  MAX_PLAYGROUND_NAME_CHARACTERS,
  MAX_PLAYGROUND_URL_PREFIX_CHARACTERS,
} from '#domain/people';
import { realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { apiError, validationError } from '#model/errors';
import { defineOperation, forwardCommand } from '../../operation.js';
import { declarePathIdParameter, declareRequiredTextParameter } from '../../parameters.js';

export const getLinkifiersOperation = defineOperation({
  id: 'get-linkifiers',
  method: 'GET',
  path: '/realm/linkifiers',
  guard: 'user',
  summary: 'Patterns whose matches become links, in the order in which they apply.',
  parameters: {},
  run: ({ directory }) => ({ fields: { linkifiers: directory.linkifiers().map(formatLinkifierForApi) } }),
});

const linkifierTextSchema = Type.String({ maxLength: MAX_LINKIFIER_FIELD_CHARACTERS });

const linkifierContentParameters = {
  pattern: {
    ...declareRequiredTextParameter('form', 'Regular expression (RE2) with named groups.'),
    schema: linkifierTextSchema,
  },
  url_template: {
    ...declareRequiredTextParameter('form', 'RFC 6570 template with the names of those groups.'),
    schema: linkifierTextSchema,
  },
} as const;

const linkifierIdPathParameter = { filter_id: declarePathIdParameter('The linkifier.') } as const;

export const addLinkifierOperation = defineOperation({
  id: 'add-linkifier',
  method: 'POST',
  path: '/realm/filters',
  guard: 'admin',
  summary: 'Add a linkifier.',
  parameters: linkifierContentParameters,
  run: ({ params, realm }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.addLinkifier, args: { ...params } }),
});

export const updateLinkifierOperation = defineOperation({
  id: 'update-linkifier',
  method: 'PATCH',
  path: '/realm/filters/{filter_id}',
  guard: 'admin',
  summary: 'Change a linkifier.',
  parameters: { ...linkifierIdPathParameter, ...linkifierContentParameters },
  run: ({ params, realm }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.updateLinkifier, args: { ...params } }),
});

export const removeLinkifierOperation = defineOperation({
  id: 'remove-linkifier',
  method: 'DELETE',
  path: '/realm/filters/{filter_id}',
  guard: 'admin',
  summary: 'Remove a linkifier.',
  parameters: linkifierIdPathParameter,
  run: ({ params, realm }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.removeLinkifier, args: { ...params } }),
});

/**
 * Returns the trimmed language of a code playground.
 * @throws ApiError that names the parameter `pygments_language`, as the API prescribes
 */
function trimAndCheckPlaygroundLanguage(given: string): string {
  const language = given.trim();
  if ([...language].length > MAX_PLAYGROUND_LANGUAGE_CHARACTERS) {
    throw validationError(`pygments_language is too long (limit: ${MAX_PLAYGROUND_LANGUAGE_CHARACTERS} characters)`);
  }
  if (!/^[ a-zA-Z0-9_+-./#]*$/.test(language)) throw apiError('PLAYGROUND_LANGUAGE');
  return language;
}

export const addCodePlaygroundOperation = defineOperation({
  id: 'add-code-playground',
  method: 'POST',
  path: '/realm/playgrounds',
  guard: 'admin',
  summary: 'Add a place where code blocks of a language can be run.',
  parameters: {
    url_prefix: {
      in: 'form',
      encoding: 'string',
      schema: Type.String({ check: 'url', trim: true, maxLength: MAX_PLAYGROUND_URL_PREFIX_CHARACTERS }),
      required: true,
      description: 'Address to which the code is appended.',
    },
    highlighter_language: {
      ...declareRequiredTextParameter('form', 'Language as the highlighter names it.'),
      aliases: ['pygments_language'],
    },
    name: {
      ...declareRequiredTextParameter('form', 'Name of the playground.'),
      schema: Type.String({ maxLength: MAX_PLAYGROUND_NAME_CHARACTERS }),
    },
  },
  run({ params, realm }) {
    const language = trimAndCheckPlaygroundLanguage(params.highlighter_language);
    const args = { name: params.name.trim(), language, url_prefix: params.url_prefix };
    return forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.addPlayground, args });
  },
});

export const removeCodePlaygroundOperation = defineOperation({
  id: 'remove-code-playground',
  method: 'DELETE',
  path: '/realm/playgrounds/{playground_id}',
  guard: 'admin',
  summary: 'Remove a playground.',
  parameters: { playground_id: declarePathIdParameter('The playground.') },
  run: ({ params, realm }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.removePlayground, args: { ...params } }),
});
