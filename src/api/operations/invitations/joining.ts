/** Pages behind the links of invitations: no part of the API, opened in a browser. */
import type { JsonObject } from '../../../core/index.js';
import { realmKey } from '../../../core/index.js';
import { type InvitationName, LINK_PATH, readToken } from '../../../invitations/index.js';
import { type JoinPage, joined, joinForm, noInvitation } from '../../../pages/index.js';
import { ActorRefused } from '../../errors.js';
import { type Call, operation, type RawAnswer } from '../../operation.js';
import { maybeText, pathText } from '../../parameters.js';

type Kind = InvitationName['kind'];

const NEW = { fullName: '', email: '' };

/** The invitation is, or its organization is, or this one never was. */
const isGone = (error: unknown): boolean => error instanceof ActorRefused && error.reply.status < 500;

/** Of the invitation's own organization: under an IP address the host names none. */
async function peek(call: Call<unknown>, { realm, ...named }: InvitationName): Promise<JoinPage> {
  const shown = await call.send({ to: realmKey(realm), command: 'peek-invitation', args: named });
  return shown as unknown as JoinPage;
}

async function whileItStands(answer: () => Promise<RawAnswer>): Promise<RawAnswer> {
  try {
    return await answer();
  } catch (error) {
    if (isGone(error)) return noInvitation();
    throw error;
  }
}

const token = { token: pathText('From the link.') } as const;

const show = (kind: Kind) =>
  operation({
    id: `show-${LINK_PATH[kind]}`,
    method: 'GET',
    path: `/${LINK_PATH[kind]}/{token}`,
    root: true,
    guard: 'none',
    summary: 'A page with which somebody who was invited makes an account.',
    parameters: token,
    run(call) {
      const of = readToken(call.secrets, kind, call.params.token);
      return of ? whileItStands(async () => joinForm(await peek(call, of), NEW)) : noInvitation();
    },
  });

const accept = (kind: Kind) =>
  operation({
    id: `accept-${LINK_PATH[kind]}`,
    method: 'POST',
    path: `/${LINK_PATH[kind]}/{token}`,
    root: true,
    guard: 'none',
    summary: 'Make that account.',
    parameters: {
      ...token,
      full_name: maybeText('form', 'Name shown to others.'),
      password: maybeText('form', 'At least 6 characters and hard enough to guess.'),
      email: maybeText('form', 'Address of the account, where the link is for anybody.'),
    },
    run(call) {
      const of = readToken(call.secrets, kind, call.params.token);
      if (!of) return noInvitation();
      const { full_name = '', password = '', email = '' } = call.params;
      const { realm, ...named } = of;
      const args: JsonObject = { ...named, full_name, password, email, origin: call.origin };
      return whileItStands(async () => {
        try {
          const made = await call.send({ to: realmKey(realm), command: 'join', args });
          return joined(String(made.organization), call.origin, String(made.email));
        } catch (error) {
          if (!(error instanceof ActorRefused) || error.reply.status !== 400) throw error;
          return joinForm(await peek(call, of), { fullName: full_name, email }, error.reply.msg);
        }
      });
    },
  });

export const JOINING_OPERATIONS = [show('single'), accept('single'), show('link'), accept('link')];
