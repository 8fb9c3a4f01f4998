import t from 'tap';
import { eventQueueActorKind } from '#actors/event-queue';
import { linkPreviewActorKind } from '#actors/link-preview';
import { loginGuardActorKind } from '#actors/login-guard';
import { mailActorKind } from '#actors/mail';
import { presenceActorKind } from '#actors/presence';
import { pushNotificationActorKind } from '#actors/push';
import { realmActorKind } from '#actors/realm';
import { directMessageActorKind, streamActorKind } from '#actors/stream';
import { userActorKind } from '#actors/user';
import { webhookActorKind } from '#actors/webhook';
import { forwardCommand } from '#frontend/api';
import { realmActorKey, toRealmId, toUserId, userActorKey } from '#model';
import { makeOutboxCommand, makeRedirectCommand, realmActorCommands, userActorCommands } from '#model/commands';
import { type CommandInputSources, mapHandlersByName } from '#runtime';
import * as declared from '../../../src/model/commands/index.js';

const realm = realmActorKey(toRealmId(1));
const user = userActorKey(toRealmId(1), toUserId(8));

t.test('each kind answers the commands that are declared for it, and no others', async (t) => {
  const names = (...tables: readonly declared.ActorCommandTable[]) =>
    tables.flatMap((table) => Object.values(table)).sort();
  const answered = (kind: { readonly commands: object }) => Object.keys(kind.commands).sort();
  t.same(answered(realmActorKind), names(declared.realmActorCommands));
  t.same(answered(userActorKind), names(declared.userActorCommands));
  t.same(answered(streamActorKind), names(declared.conversationActorCommands, declared.streamActorCommands));
  t.same(
    answered(directMessageActorKind),
    names(declared.conversationActorCommands, declared.directMessageActorCommands),
  );
  t.same(answered(eventQueueActorKind), names(declared.eventQueueActorCommands));
  t.same(eventQueueActorKind.sidecarCommands, names(declared.eventQueueSidecarCommands));
  t.same(answered(presenceActorKind), names(declared.presenceActorCommands));
  t.same(answered(mailActorKind), names(declared.mailActorCommands));
  t.same(answered(webhookActorKind), names(declared.webhookActorCommands));
  t.same(answered(loginGuardActorKind), names(declared.unknownEmailLoginActorCommands));
  t.same(answered(pushNotificationActorKind), names(declared.pushActorCommands));
  t.same(answered(linkPreviewActorKind), names(declared.linkPreviewActorCommands));
});

t.test('names of one kind are all different', async (t) => {
  for (const [name, table] of Object.entries(declared)) {
    if (typeof table === 'object') t.equal(new Set(Object.values(table)).size, Object.keys(table).length, name);
  }
});

t.test('a sent command is the object that was checked', async (t) => {
  const of = { to: realm, command: realmActorCommands.revokeLink, args: { id: 3 } };
  t.equal(forwardCommand(of) as object, of);
  t.equal(makeRedirectCommand(of) as object, of);
  const later = { to: user, name: userActorCommands.setKey, args: { keySealed: 'x' }, caller: 0 };
  t.equal(makeOutboxCommand(later) as object, later);
});

/** Compiled and never called: each of these lines must be a type error, or the build fails. */
export function mistakes({ askActor }: CommandInputSources) {
  // @ts-expect-error no such command
  forwardCommand({ to: realm, command: realmActorCommands.revokeLinks, args: { id: 3 } });
  // @ts-expect-error a bare string is no command
  forwardCommand({ to: realm, command: 'revoke-invitation-link', args: { id: 3 } });
  // @ts-expect-error misspelt argument
  forwardCommand({ to: realm, command: realmActorCommands.revokeLink, args: { ids: 3 } });
  // @ts-expect-error argument of another type
  forwardCommand({ to: realm, command: realmActorCommands.revokeLink, args: { id: '3' } });
  // @ts-expect-error missing argument
  forwardCommand({ to: realm, command: realmActorCommands.changeDomain, args: { domain: 'x.org' } });
  // @ts-expect-error one argument too many
  forwardCommand({ to: realm, command: realmActorCommands.revokeLink, args: { id: 3, more: true } });
  // @ts-expect-error an actor of another kind
  forwardCommand({ to: user, command: realmActorCommands.revokeLink, args: { id: 3 } });
  // @ts-expect-error answered with a value: no response can be made of it
  forwardCommand({ to: realm, command: realmActorCommands.takeIds, args: { count: 1 } });
  // @ts-expect-error the same for a redirect
  makeRedirectCommand({ to: realm, command: realmActorCommands.takeIds, args: { count: 1 } });
  // @ts-expect-error a command of another kind
  makeOutboxCommand({ to: user, name: realmActorCommands.revokeLink, args: { id: 3 }, caller: 0 });
  // @ts-expect-error misspelt argument
  makeOutboxCommand({ to: user, name: userActorCommands.setKey, args: { sealed: 'x' }, caller: 0 });
  // @ts-expect-error answered with fields: only a frontend can use them
  askActor(realm, realmActorCommands.revokeLink, { id: 3 });
  // @ts-expect-error the answer is a number
  const first: Promise<string> = askActor(realm, realmActorCommands.takeIds, { count: 1 });
  const table = { takeIds: realmActorCommands.takeIds };
  const handle = () => ({ reply: { value: 1 } });
  // @ts-expect-error a declared command without handler
  mapHandlersByName(table, {});
  // @ts-expect-error a handler without declared command
  mapHandlersByName(table, { takeIds: { handle }, giveIds: { handle } });
  // @ts-expect-error a handler of other arguments
  mapHandlersByName(table, { takeIds: { handle: (_view: unknown, { counts }: { counts: number }) => handle(counts) } });
  return first;
}
