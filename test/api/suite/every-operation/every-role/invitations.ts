/** Invitations, and the domains of their addresses. */
import type { Person } from '../../../support/organization.js';
import { adminsOnly, fresh, NO_GUESTS, ownersOnly, type Row, type World } from './row.js';

const domainName = (): string => `${fresh().replaceAll(' ', '-')}.example.com`;

/** An invitation of this user, or else of the owner. */
async function invitation(by: Person, { org }: World): Promise<number> {
  const inviter = by.role === 'guest' ? org.owner : by;
  await inviter.api.ok('POST /invites', { invitee_emails: domainName().replace('.', '@'), stream_ids: [] });
  const { invites } = await inviter.api.ok<{ invites: { id: number; is_multiuse: boolean }[] }>('GET /invites');
  return invites.filter((of) => !of.is_multiuse).at(-1)!.id;
}

async function invitationLink({ api }: Person): Promise<number> {
  await api.ok('POST /invites/multiuse');
  const { invites } = await api.ok<{ invites: { id: number; is_multiuse: boolean }[] }>('GET /invites');
  return invites.filter((of) => of.is_multiuse).at(-1)!.id;
}

async function newDomain(owner: Person): Promise<string> {
  const domain = domainName();
  await owner.api.ok('POST /realm/domains', { domain, allow_subdomains: false });
  return domain;
}

export const INVITATIONS: readonly Row[] = [
  { operation: 'GET /invites', params: () => ({}), refused: { guest: NO_GUESTS } },
  {
    operation: 'POST /invites',
    params: () => ({ invitee_emails: `${domainName().replace('.', '@')}`, stream_ids: [] }),
    refused: { guest: NO_GUESTS },
  },
  { operation: 'POST /invites/multiuse', params: () => ({}), refused: adminsOnly },
  {
    operation: 'POST /invites/{prereg_id}/resend',
    params: async (by, world) => ({ prereg_id: await invitation(by, world) }),
    refused: { guest: NO_GUESTS },
  },
  {
    operation: 'DELETE /invites/{prereg_id}',
    params: async (by, world) => ({ prereg_id: await invitation(by, world) }),
    refused: { guest: NO_GUESTS },
  },
  {
    operation: 'DELETE /invites/multiuse/{invite_id}',
    params: async (_, { org }) => ({ invite_id: await invitationLink(org.owner) }),
    refused: adminsOnly,
  },
  { operation: 'GET /realm/domains', params: () => ({}) },
  {
    operation: 'POST /realm/domains',
    params: () => ({ domain: domainName(), allow_subdomains: false }),
    refused: ownersOnly,
  },
  {
    operation: 'PATCH /realm/domains/{domain}',
    params: async (_, { org }) => ({ domain: await newDomain(org.owner), allow_subdomains: true }),
    refused: ownersOnly,
  },
  {
    operation: 'DELETE /realm/domains/{domain}',
    params: async (_, { org }) => ({ domain: await newDomain(org.owner) }),
    refused: ownersOnly,
  },
];
