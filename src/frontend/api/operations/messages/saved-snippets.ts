/** Operations of the API for saved snippets, which newer API levels have (messages.md § Saved snippets). */
import { Type } from 'typebox';
import { MAX_MESSAGE_CHARACTERS, MAX_SAVED_SNIPPET_TITLE_CHARACTERS } from '#domain/messages';
import { userActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import { defineOperation, forwardCommand } from '../../operation.js';
import { declarePathIdParameter } from '../../parameters.js';

/** Text without blanks around it, and without null bytes. */
const makeTrimmedTextSchema = (maxLength: number) =>
  Type.String({ trim: true, minLength: 1, maxLength, pattern: '^[^\\0]*$' });

const titleParameter = {
  in: 'form',
  encoding: 'string',
  schema: makeTrimmedTextSchema(MAX_SAVED_SNIPPET_TITLE_CHARACTERS),
  description: 'Title of the snippet, without blanks around it.',
} as const;

const contentParameter = {
  in: 'form',
  encoding: 'string',
  schema: makeTrimmedTextSchema(MAX_MESSAGE_CHARACTERS),
  description: 'Text of the snippet, without blanks around it.',
} as const;

const idParameter = declarePathIdParameter('Id of the snippet.');

export const SAVED_SNIPPET_OPERATIONS = [
  defineOperation({
    id: 'get-saved-snippets',
    method: 'GET',
    since: 297,
    path: '/saved_snippets',
    guard: 'user',
    summary: 'Own saved snippets, oldest first.',
    parameters: {},
    run: ({ realm, caller }) =>
      forwardCommand({ to: userActorKey(realm, caller), command: userActorCommands.savedSnippets, args: {} }),
  }),
  defineOperation({
    id: 'create-saved-snippet',
    method: 'POST',
    since: 297,
    path: '/saved_snippets',
    guard: 'user',
    summary: 'Create a saved snippet.',
    parameters: {
      title: { ...titleParameter, required: true },
      content: { ...contentParameter, required: true },
    },
    run: ({ realm, caller, params }) =>
      forwardCommand({
        to: userActorKey(realm, caller),
        command: userActorCommands.createSavedSnippet,
        args: { title: params.title, content: params.content },
      }),
  }),
  defineOperation({
    id: 'edit-saved-snippet',
    method: 'PATCH',
    since: 368,
    path: '/saved_snippets/{saved_snippet_id}',
    guard: 'user',
    summary: 'Change title or content of a saved snippet.',
    parameters: {
      saved_snippet_id: idParameter,
      title: { ...titleParameter, required: false },
      content: { ...contentParameter, required: false },
    },
    run: ({ realm, caller, params }) =>
      forwardCommand({
        to: userActorKey(realm, caller),
        command: userActorCommands.editSavedSnippet,
        args: { id: params.saved_snippet_id, title: params.title ?? null, content: params.content ?? null },
      }),
  }),
  defineOperation({
    id: 'delete-saved-snippet',
    method: 'DELETE',
    since: 297,
    path: '/saved_snippets/{saved_snippet_id}',
    guard: 'user',
    summary: 'Delete a saved snippet.',
    parameters: { saved_snippet_id: idParameter },
    run: ({ realm, caller, params }) =>
      forwardCommand({
        to: userActorKey(realm, caller),
        command: userActorCommands.deleteSavedSnippet,
        args: { id: params.saved_snippet_id },
      }),
  }),
];
