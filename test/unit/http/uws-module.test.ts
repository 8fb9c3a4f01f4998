/** The native HTTP engine: its builds, and the choice for a host. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { chooseHttpServerFactory } from '#frontend/http';
import {
  describeHostPlatform,
  findUwsNativeBuild,
  type HostPlatform,
  loadUwsEngine,
} from '../../../src/frontend/http/uws-module.js';

const DEBIAN_12: HostPlatform = {
  platform: 'linux',
  arch: 'x64',
  nodeAbi: '115',
  nodeVersion: '20.20.2',
  glibcVersion: '2.36',
};

t.test('a host gets the build for its platform, Node version and C library', async (t) => {
  for (const [over, name] of [
    [{}, '@uwsjs/linux-x64-20'],
    [{ glibcVersion: '2.27' }, '@uwsjs/linux-x64-20'],
    [{ nodeAbi: '127' }, '@uwsjs/linux-x64-22'],
    [{ nodeAbi: '137', glibcVersion: '2.38' }, '@uwsjs/linux-x64-24'],
    [{ nodeAbi: '137', glibcVersion: '3.0' }, '@uwsjs/linux-x64-24'],
    [{ nodeAbi: '147', glibcVersion: '2.41' }, '@uwsjs/linux-x64-26'],
  ] as const) {
    t.equal(findUwsNativeBuild({ ...DEBIAN_12, ...over }).packageName, name);
  }
});

t.test('where no build fits, the error has the reason', async (t) => {
  for (const [over, reason] of [
    [{ platform: 'darwin', arch: 'arm64', glibcVersion: undefined }, 'no build for darwin on arm64'],
    [{ arch: 'arm64' }, 'no build for linux on arm64'],
    [{ nodeAbi: '141', nodeVersion: '25.1.0' }, 'no build for Node 25.1.0; there are some for 20, 22, 24 and 26'],
    [{ glibcVersion: '2.26' }, 'its build for Node 20.20.2 needs glibc 2.27 or later, and this system has 2.26'],
    [
      { nodeAbi: '137', nodeVersion: '24.11.0' },
      'its build for Node 24.11.0 needs glibc 2.38 or later, and this system has 2.36',
    ],
    [
      { glibcVersion: undefined },
      'its build for Node 20.20.2 needs glibc 2.27 or later, and the C library here is another one',
    ],
  ] as const) {
    t.throws(() => findUwsNativeBuild({ ...DEBIAN_12, ...over }), { message: reason });
  }
});

t.test('a missing package is reported, with the command that installs it', async (t) => {
  // npm installs only the build of the Node that runs it.
  const abi = process.versions.modules === '147' ? '137' : '147';
  t.throws(() => loadUwsEngine({ ...DEBIAN_12, nodeAbi: abi, glibcVersion: '2.41', nodeVersion: '26.1.0' }), {
    message: /^@uwsjs\/linux-x64-2. is not installed; "npm ci" with Node 26.1.0 installs it$/,
  });
});

t.test('this host loads only the build that fits it', async (t) => {
  let expected = 'native module loaded';
  try {
    findUwsNativeBuild(describeHostPlatform());
  } catch (error) {
    expected = `uWebSockets.js cannot be loaded: ${(error as Error).message}`;
  }
  t.equal((await chooseHttpServerFactory('auto')).reason, expected);
  t.comment(`Node ${process.versions.node}: ${expected}`);
});

t.test('each build is an optional dependency of an exact version', async (t) => {
  const { optionalDependencies } = JSON.parse(
    readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
  ) as { optionalDependencies: Record<string, string> };
  const builds = ['115', '127', '137', '147'].map(
    (abi) => findUwsNativeBuild({ ...DEBIAN_12, nodeAbi: abi, glibcVersion: '2.41' }).packageName,
  );
  t.same(
    Object.keys(optionalDependencies).filter((name) => name.startsWith('@uwsjs/')),
    builds,
  );
  for (const name of builds) t.match(optionalDependencies[name], /^\d+\.\d+\.\d+$/);
});
