/** The README's instructions for a cluster, run as written. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { dropNamespace } from '../support/drop-namespace.js';
import { freePort } from '../support/free-port.js';
import { remove, temporary } from './support/folders.js';
import { services } from './support/missing.js';
import { MAIN, run } from './support/process.js';

const found = services();
if (found) {
  t.test("the README's commands start a cluster that delivers a message between two frontends", async (test) => {
    const [, section = ''] = readFileSync('README.md', 'utf8').split('\n## Run a cluster\n');
    const [, block = ''] = /```sh\n(.*?)```/s.exec(section) ?? [];
    const [services, ...lines] = block.split('\n');
    test.match(services, /^deploy\/dev\/services up && \. \.services\/env/);
    const folder = temporary('readme');
    const namespace = `t${randomBytes(6).toString('hex')}`;
    test.teardown(async () => {
      remove(folder);
      await dropNamespace(found, namespace);
    });
    // Names, ports and the folder are replaced, because other tests run at the same time. The rest runs as written.
    const [first, second] = [await freePort(), await freePort()];
    const text = lines
      .join('\n')
      .replaceAll('npm run conclave --', `'${process.execPath}' '${MAIN}'`)
      .replaceAll('9991', String(first))
      .replaceAll('9992', String(second));
    const script = [`cd '${folder}'`, `trap 'kill $(jobs -p); wait' EXIT`, text].join('\n');
    const environment = {
      PATH: process.env.PATH,
      NATS_URL: found.nats,
      MONGODB_URL: `${found.mongodb.replace(/\/*$/, '')}/conclave_${namespace}`,
      NAMESPACE: namespace,
    };
    const ended = await run('bash', ['-c', script], 60_000, environment);
    test.match(ended.stdout, '"content":"<p>Hello</p>"', ended.stderr.slice(-2_000));
    test.equal(ended.stdout.split('Conclave actor host runs').length - 1, 2);
  });
}
