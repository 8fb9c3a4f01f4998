/** Public terminal client, unmodified, operated by keys and checked by its screen. */
import t from 'tap';
import { picked } from '../support/rounds.js';
import { source } from './support/chat.js';
import { Cluster, Embedded, OTHER, PASSWORD } from './support/face.js';
import { zulipTerm } from './support/install.js';
import { missing, services } from './support/missing.js';
import { TerminalClient } from './support/terminal-client.js';
import { testTerminalClient } from './support/terminal-session.js';
import { hasTmux } from './support/tmux.js';

const cluster = services();
const found = await hasTmux();
const python = found
  ? await zulipTerm('0.7.0', source('requirements-zulip-term.txt'))
  : missing('tmux is not installed');

/** Faces that a run covers. The series of steps takes long, so `npm test` runs it on one face. */
const FACES = ['embedded', ...(cluster ? ['cluster'] : [])];
const faces = picked(FACES, 1, (name) => name);

if (python) {
  const face = await Embedded.start();
  t.teardown(() => face.stop());
  if (faces.includes('embedded')) {
    t.test('a user works with zulip-terminal, embedded face', async (test) => {
      const restart = async (): Promise<void> => {
        await face.server.stop();
        await face.up();
      };
      await testTerminalClient(test, { python, zuliprc: face.zuliprcs[0], other: face.api(face.other), restart });
    });
  }

  t.test('a user without a file logs in to zulip-terminal with e-mail and password', async (test) => {
    const client = await TerminalClient.startWithoutFile(python);
    test.teardown(() => client.stop());
    await client.enter('Zulip URL:', face.site);
    await client.enter('Email:', OTHER);
    await client.enter('Password:', 'wrong');
    test.ok(await client.terminal.shows('Incorrect Email'), 'a wrong password is refused');
    await client.enter('Email:', OTHER);
    await client.enter('Password:', PASSWORD);
    test.ok(await client.terminal.shows(`Other (${OTHER})`));
    test.equal(client.exceptions(), '');
  });

  if (cluster && faces.includes('cluster')) {
    t.test('a user works with zulip-terminal, cluster face, each client at its own frontend', async (test) => {
      const face = await Cluster.start({ ...cluster, withoutSignupNotice: true });
      test.teardown(() => face.stop());
      // Restarts the two processes that hold the client's poll: its frontend and the host that owns all partitions.
      const restart = async (): Promise<void> => {
        const { child, port } = face.frontends[0]!;
        await Promise.all([child.kill(), (await face.busiestHost()).kill()]);
        await face.addFrontend(port);
        await face.addHost();
      };
      const other = face.api(1, face.other);
      await testTerminalClient(test, { python, zuliprc: face.zuliprcs[0], other, restart });
    });
  }
}
