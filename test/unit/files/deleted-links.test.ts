import t from 'tap';
import { makeFilesOfDeletedMessagesCommands } from '#actors/shared';
import { makeFilePath } from '#domain/files';
import { toRealmId, toUserId, userActorKey } from '#model';

const REALM = toRealmId(1);

t.test('the owner of a file gets one command for all deleted messages that linked it', async (t) => {
  const [often, once] = [3, 4].map((owner) => makeFilePath(REALM, toUserId(owner), 'a.txt')) as [string, string];
  const message = (id: number, ...files: string[]) => ({ id, body: { files } });
  const commands = makeFilesOfDeletedMessagesCommands(REALM, [message(5, often), message(6, often, once), message(7)]);
  t.match(commands, [
    { to: userActorKey(REALM, toUserId(3)), args: { path: often, message: 5, others: [6], deleted: true } },
    { to: userActorKey(REALM, toUserId(4)), args: { path: once, message: 6, deleted: true } },
  ]);
  t.equal(commands.length, 2);
});
