/** Invitations (realm.md § Invitations). */
import { bad, type CatalogueEntry } from './entry.js';

const failed = <const M extends string>(msg: M) =>
  ({
    code: 'INVITATION_FAILED',
    status: 400,
    msg,
    data: ['errors', 'sent_invitations', 'license_limit_reached', 'daily_limit_reached'],
  }) as const;

export const invitations = {
  /** ADMIN_REQUIRED in the words, but not with the code. */
  INVITER_NOT_ADMIN: bad('Must be an organization administrator'),
  NO_INVITEES: bad('You must specify at least one email address.'),
  INVITE_STREAM_UNKNOWN: bad('Stream does not exist with id: {stream_id}. No invites were sent.'),
  INVITE_LINK_STREAM_UNKNOWN: bad('Invalid stream ID {stream_id}. No invites were sent.'),
  INVITE_MAY_NOT_SUBSCRIBE: bad('You do not have permission to subscribe other users to streams.'),
  NO_SUCH_INVITATION: bad('No such invitation'),
  /** Ours: of a link that somebody opens, shown as a page. */
  INVITATION_GONE: { status: 404, msg: 'This invitation does not stand any more' },
  /** Ours: the organization needs invitations; shown as a page. */
  SIGN_UP_CLOSED: { status: 403, msg: 'An invitation is needed' },
  INVITATION_REVOKED: bad('Invitation has already been revoked'),
  INVITES_INVALID: failed("Some emails did not validate, so we didn't send any invitations."),
  INVITES_ALL_TAKEN: failed("We weren't able to invite anyone."),
  INVITES_SOME_TAKEN: failed(
    "Some of those addresses are already using {product}, so we didn't send them an invitation. We did send invitations to everyone else!",
  ),
  INVITER_TOO_NEW: failed(
    'Your account is too new to send invites for this organization. Ask an organization admin, or a more experienced user.',
  ),
} as const satisfies Record<string, CatalogueEntry>;
