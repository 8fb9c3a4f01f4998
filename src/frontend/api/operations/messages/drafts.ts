/** Operations of the API for drafts that a user's clients share (messages.md § Drafts). */
import { Type } from 'typebox';
import { requireDraftsEnabled } from '#domain/people';
import { toStreamId, toUserId, userActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { refreshDirectoryUnlessKnown } from '../../look-up.js';
import { type ApiCall, defineOperation, forwardCommand } from '../../operation.js';
import { declareOptionalJsonParameter, declarePathIdParameter } from '../../parameters.js';

/** End of the year 9999, seconds since 1970: a later time is not the time of an edit. */
const MAX_DRAFT_TIMESTAMP_SECONDS = 253_402_300_799;
/** Maximum of UTF-16 units of all drafts of a request: the bound of a commit of a user actor. */
const MAX_DRAFTS_PER_REQUEST_CHARACTERS = 2_000_000;

const draftParameterSchema = Type.Object(
  {
    type: Type.Enum(['', 'private', 'stream']),
    to: Type.Array(Type.Integer()),
    topic: Type.String(),
    content: Type.String({ check: 'nonBlank' }),
    timestamp: Type.Optional(
      Type.Union([
        Type.Integer({ maximum: MAX_DRAFT_TIMESTAMP_SECONDS }),
        Type.Number({ maximum: MAX_DRAFT_TIMESTAMP_SECONDS }),
      ]),
    ),
  },
  { additionalProperties: false },
);
type DraftParameterValue = Type.Static<typeof draftParameterSchema>;

/**
 * Refreshes the directory replica if a draft names an unknown stream or user.
 * @throws ApiError if the drafts are too large
 */
async function checkDraftsSizeAndRefreshIfUnknown(
  call: Pick<ApiCall<unknown>, 'directory' | 'refresh'>,
  drafts: readonly DraftParameterValue[],
): Promise<void> {
  let size = 0;
  for (const { content, topic, to } of drafts) size += content.length + topic.length + 8 * to.length;
  if (size > MAX_DRAFTS_PER_REQUEST_CHARACTERS) throw apiError('BODY_TOO_LARGE');
  await refreshDirectoryUnlessKnown(call, (directory) =>
    drafts.every(({ type, to }) => {
      if (type === 'stream') return to.length !== 1 || directory.stream(toStreamId(to[0]!));
      return type === '' || to.every((id) => directory.user(toUserId(id)));
    }),
  );
}

export const getOwnDraftsOperation = defineOperation({
  id: 'get-drafts',
  method: 'GET',
  path: '/drafts',
  guard: 'user',
  before: requireDraftsEnabled,
  summary: 'Own drafts, oldest edit first.',
  parameters: {},
  run: ({ realm, caller }) =>
    forwardCommand({ to: userActorKey(realm, caller), command: userActorCommands.drafts, args: {} }),
});

export const createDraftsOperation = defineOperation({
  id: 'create-drafts',
  method: 'POST',
  path: '/drafts',
  guard: 'user',
  before: requireDraftsEnabled,
  summary: 'Create drafts: all of them or none.',
  parameters: {
    drafts: {
      ...declareOptionalJsonParameter('form', Type.Array(draftParameterSchema), 'Drafts, without ids.'),
      required: true,
    },
  },
  async run(call) {
    const { drafts } = call.params;
    await checkDraftsSizeAndRefreshIfUnknown(call, drafts);
    return forwardCommand({
      to: userActorKey(call.realm, call.caller),
      command: userActorCommands.createDrafts,
      args: { drafts },
    });
  },
});

export const editDraftOperation = defineOperation({
  id: 'edit-draft',
  method: 'PATCH',
  path: '/drafts/{draft_id}',
  guard: 'user',
  before: requireDraftsEnabled,
  summary: 'Replace a draft.',
  parameters: {
    draft_id: declarePathIdParameter('Id of the draft.'),
    draft: {
      ...declareOptionalJsonParameter('form', draftParameterSchema, 'The new draft, without id.'),
      required: true,
    },
  },
  async run(call) {
    const { draft_id, draft } = call.params;
    await checkDraftsSizeAndRefreshIfUnknown(call, [draft]);
    return forwardCommand({
      to: userActorKey(call.realm, call.caller),
      command: userActorCommands.editDraft,
      args: { id: draft_id, draft },
    });
  },
});

export const deleteDraftOperation = defineOperation({
  id: 'delete-draft',
  method: 'DELETE',
  path: '/drafts/{draft_id}',
  guard: 'user',
  before: requireDraftsEnabled,
  summary: 'Delete a draft.',
  parameters: { draft_id: declarePathIdParameter('Id of the draft.') },
  run: ({ realm, caller, params }) =>
    forwardCommand({
      to: userActorKey(realm, caller),
      command: userActorCommands.deleteDraft,
      args: { id: params.draft_id },
    }),
});
