/** Operations of the API for invitations (realm.md § Invitations). */
import { Type } from 'typebox';
import { parseInviteeEmails } from '#domain/invitations';
import { realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { validationError } from '#model/errors';
import { defineOperation, forwardCommand } from '../../operation.js';
import { declarePathIdParameter } from '../../parameters.js';

/** Maximum of characters of the list of addresses: some thousand addresses, and each gets a mail. */
const MAX_INVITEE_EMAILS_CHARACTERS = 30_000;
/** Maximum validity of an invitation, minutes: a hundred years. */
const MAX_INVITATION_VALIDITY_MINUTES = 52_560_000;

const ROLE_NUMBERS = [100, 200, 300, 400, 600];

const invitationOfferParameters = {
  invite_expires_in_minutes: {
    in: 'form',
    encoding: 'json',
    schema: Type.Union([Type.Integer(), Type.Null()]),
    required: false,
    default: 14_400,
    description: 'How long it stands; null: for ever.',
  },
  invite_as: {
    in: 'form',
    encoding: 'json',
    schema: Type.Enum(ROLE_NUMBERS),
    required: false,
    default: 400,
    description: 'Role of the account: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.',
  },
} as const;

const idListSchema = Type.Array(Type.Integer());

/**
 * Returns the validity of an invitation, minutes; null: unlimited. @throws ApiError unless null or 1 minute to 100
 * years
 */
function checkInvitationValidityMinutes(given: number | null): number | null {
  if (given !== null && (given < 1 || given > MAX_INVITATION_VALIDITY_MINUTES)) {
    throw validationError('Invalid invite_expires_in_minutes');
  }
  return given;
}

const getStandingInvitationsOperation = defineOperation({
  id: 'get-invites',
  method: 'GET',
  path: '/invites',
  guard: 'member_human',
  compressed: false,
  summary: 'Invitations that stand: all for administrators, own ones for others.',
  parameters: {},
  run: ({ realm, site }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.listInvitations, args: { origin: site } }),
});

const inviteByEmailOperation = defineOperation({
  id: 'send-invites',
  method: 'POST',
  path: '/invites',
  guard: 'member_human',
  summary: 'Invite people by e-mail.',
  parameters: {
    invitee_emails: {
      in: 'form',
      encoding: 'string',
      schema: Type.String({ maxLength: MAX_INVITEE_EMAILS_CHARACTERS }),
      required: true,
      description: 'Addresses, separated by commas or line breaks.',
    },
    ...invitationOfferParameters,
    stream_ids: {
      in: 'form',
      encoding: 'json',
      schema: idListSchema,
      required: true,
      description: 'Streams to subscribe them to; none: the default ones.',
    },
  },
  run: ({ realm, site, params }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.invite,
      args: {
        emails: parseInviteeEmails(params.invitee_emails),
        minutes: checkInvitationValidityMinutes(params.invite_expires_in_minutes),
        role: params.invite_as,
        stream_ids: params.stream_ids,
        origin: site,
      },
    }),
});

const createInvitationLinkOperation = defineOperation({
  id: 'create-invite-link',
  method: 'POST',
  path: '/invites/multiuse',
  guard: 'admin',
  compressed: false,
  summary: 'Make a link with which any number of people can join.',
  parameters: {
    ...invitationOfferParameters,
    stream_ids: {
      in: 'form',
      encoding: 'json',
      schema: idListSchema,
      required: false,
      default: [],
      description: 'Streams to subscribe them to; none: the default ones.',
    },
  },
  async run(call) {
    const { realm, site, params, secrets } = call;
    const args = {
      minutes: checkInvitationValidityMinutes(params.invite_expires_in_minutes),
      role: params.invite_as,
      stream_ids: params.stream_ids,
      origin: site,
    };
    const { sealed } = await call.send(
      forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.inviteByLink, args }),
    );
    return { fields: { invite_link: secrets.unseal(String(sealed)) } };
  },
});

const revokeEmailInvitationOperation = defineOperation({
  id: 'revoke-invite',
  method: 'DELETE',
  path: '/invites/{prereg_id}',
  guard: 'member_human',
  summary: 'Take an invitation back.',
  parameters: { prereg_id: declarePathIdParameter('The invitation.') },
  run: ({ realm, params }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.revokeInvitation,
      args: { id: params.prereg_id },
    }),
});

const revokeInvitationLinkOperation = defineOperation({
  id: 'revoke-invite-link',
  method: 'DELETE',
  path: '/invites/multiuse/{invite_id}',
  guard: 'admin',
  summary: 'Take a link back.',
  parameters: { invite_id: declarePathIdParameter('The link.') },
  run: ({ realm, params }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.revokeLink,
      args: { id: params.invite_id },
    }),
});

const resendEmailInvitationOperation = defineOperation({
  id: 'resend-invite',
  method: 'POST',
  path: '/invites/{prereg_id}/resend',
  guard: 'member_human',
  summary: 'Send an invitation again; it stands as long as at first.',
  parameters: { prereg_id: declarePathIdParameter('The invitation.') },
  run: ({ realm, site, params }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.resendInvitation,
      args: { id: params.prereg_id, origin: site },
    }),
});

export const INVITATION_OPERATIONS = [
  getStandingInvitationsOperation,
  inviteByEmailOperation,
  createInvitationLinkOperation,
  revokeEmailInvitationOperation,
  revokeInvitationLinkOperation,
  resendEmailInvitationOperation,
] as const;
