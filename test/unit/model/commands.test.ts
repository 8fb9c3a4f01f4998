import t from 'tap';
import { queueKind } from '#actors/event-queue';
import { loginGuardKind } from '#actors/login-guard';
import { mailKind } from '#actors/mail';
import { presenceKind } from '#actors/presence';
import { realmKind } from '#actors/realm';
import { directKind, streamKind } from '#actors/stream';
import { userKind } from '#actors/user';
import { webhookKind } from '#actors/webhook';
import { forwardCommand } from '#frontend/api';
import { realmId, realmKey, userId, userKey } from '#model';
import { outboxCommand, realmCommands, redirectCommand, userCommands } from '#model/commands';
import { type InputSources, mapHandlersByName } from '#runtime';
import * as declared from '../../../src/model/commands/index.js';

const realm = realmKey(realmId(1));
const user = userKey(realmId(1), userId(8));

t.test('each kind answers the commands that are declared for it, and no others', async (t) => {
  const names = (...tables: readonly declared.CommandTable[]) => tables.flatMap((table) => Object.values(table)).sort();
  const answered = (kind: { readonly commands: object }) => Object.keys(kind.commands).sort();
  t.same(answered(realmKind), names(declared.realmCommands));
  t.same(answered(userKind), names(declared.userCommands));
  t.same(answered(streamKind), names(declared.conversationCommands, declared.streamCommands));
  t.same(answered(directKind), names(declared.conversationCommands, declared.directCommands));
  t.same(answered(queueKind), names(declared.queueCommands));
  t.same(queueKind.sidecarCommands, names(declared.liveQueueCommands));
  t.same(answered(presenceKind), names(declared.presenceCommands));
  t.same(answered(mailKind), names(declared.mailCommands));
  t.same(answered(webhookKind), names(declared.webhookCommands));
  t.same(answered(loginGuardKind), names(declared.loginGuardCommands));
});

t.test('names of one kind are all different', async (t) => {
  for (const [name, table] of Object.entries(declared)) {
    if (typeof table === 'object') t.equal(new Set(Object.values(table)).size, Object.keys(table).length, name);
  }
});

t.test('a sent command is the object that was checked', async (t) => {
  const of = { to: realm, command: realmCommands.revokeLink, args: { id: 3 } };
  t.equal(forwardCommand(of) as object, of);
  t.equal(redirectCommand(of) as object, of);
  const later = { to: user, name: userCommands.setKey, args: { keySealed: 'x' }, caller: 0 };
  t.equal(outboxCommand(later) as object, later);
});

/** Compiled and never called: each of these lines must be a type error, or the build fails. */
export function mistakes({ ask }: InputSources) {
  // @ts-expect-error no such command
  forwardCommand({ to: realm, command: realmCommands.revokeLinks, args: { id: 3 } });
  // @ts-expect-error a bare string is no command
  forwardCommand({ to: realm, command: 'revoke-invitation-link', args: { id: 3 } });
  // @ts-expect-error misspelt argument
  forwardCommand({ to: realm, command: realmCommands.revokeLink, args: { ids: 3 } });
  // @ts-expect-error argument of another type
  forwardCommand({ to: realm, command: realmCommands.revokeLink, args: { id: '3' } });
  // @ts-expect-error missing argument
  forwardCommand({ to: realm, command: realmCommands.changeDomain, args: { domain: 'x.org' } });
  // @ts-expect-error one argument too many
  forwardCommand({ to: realm, command: realmCommands.revokeLink, args: { id: 3, more: true } });
  // @ts-expect-error an actor of another kind
  forwardCommand({ to: user, command: realmCommands.revokeLink, args: { id: 3 } });
  // @ts-expect-error answered with a value: no response can be made of it
  forwardCommand({ to: realm, command: realmCommands.takeIds, args: { count: 1 } });
  // @ts-expect-error the same for a redirect
  redirectCommand({ to: realm, command: realmCommands.takeIds, args: { count: 1 } });
  // @ts-expect-error a command of another kind
  outboxCommand({ to: user, name: realmCommands.revokeLink, args: { id: 3 }, caller: 0 });
  // @ts-expect-error misspelt argument
  outboxCommand({ to: user, name: userCommands.setKey, args: { sealed: 'x' }, caller: 0 });
  // @ts-expect-error answered with fields: only a frontend can use them
  ask(realm, realmCommands.revokeLink, { id: 3 });
  // @ts-expect-error the answer is a number
  const first: Promise<string> = ask(realm, realmCommands.takeIds, { count: 1 });
  const table = { takeIds: realmCommands.takeIds };
  const handle = () => ({ reply: { value: 1 } });
  // @ts-expect-error a declared command without handler
  mapHandlersByName(table, {});
  // @ts-expect-error a handler without declared command
  mapHandlersByName(table, { takeIds: { handle }, giveIds: { handle } });
  // @ts-expect-error a handler of other arguments
  mapHandlersByName(table, { takeIds: { handle: (_view: unknown, { counts }: { counts: number }) => handle(counts) } });
  return first;
}
