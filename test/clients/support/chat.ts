/** Runs scripts of client packages against both faces: embedded server and cluster. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { DEFAULT_LEVEL_BY_CLIENT } from '#domain/levels';
import { LONG, picked } from '../../support/rounds.js';
import { Cluster, command, Embedded } from './face.js';
import { services } from './missing.js';
import { type Ended, run } from './process.js';

/** Path of a file beside the test sources, which the compiler does not copy to `dist`. */
export function source(name: string): string {
  const beside = fileURLToPath(new URL(`../../../../test/clients/${name}`, import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL(`test/clients/${name}`, `file://${process.cwd()}/`));
}

const SCRIPT_TIMEOUT_MS = 120_000;
/** Seconds after which a chat script gives up waiting for a message. */
const CHAT_TIMEOUT_S = 60;

function checkScript(test: Test, ended: Ended): void {
  for (const line of ended.stdout.trim().split('\n')) test.comment(line);
  test.equal(ended.code, 0, `the script exits with 0 (${Math.round(ended.ms)} ms)`);
  test.match(ended.stdout, /^complete$/m, 'the script received every message');
  if (ended.code !== 0) test.comment(ended.stderr);
}

export interface Script {
  readonly fact: string;
  /** Command and arguments; the paths of the two zuliprc files are appended. */
  readonly words: readonly string[];
  /** Whether the timeout CHAT_TIMEOUT_S is appended as the last argument. */
  readonly chat?: boolean;
}

export interface Scripts {
  /** Scripts that run first, under the default rate limits. */
  readonly limited: readonly Script[];
  /** Scripts that call more often than the default rate limits allow. */
  readonly unlimited: readonly Script[];
}

/**
 * Runs the scripts in turn, as the owner and a second user, all on one server per face. `npm test` runs each script on
 * one face only, which is enough because a client can't tell the faces apart.
 */
export async function runOnBothFaces({ limited, unlimited }: Scripts): Promise<void> {
  const cluster = services();
  const facts = [...limited, ...unlimited].map(({ fact }) => fact);
  const first = cluster ? picked(facts, Math.ceil(facts.length / 2), (fact) => fact) : facts;
  const second = LONG ? facts : facts.filter((fact) => !first.includes(fact));

  const all = async (
    test: Test,
    scripts: readonly Script[],
    wanted: readonly string[],
    zuliprcs: readonly string[],
  ): Promise<void> => {
    for (const { fact, words, chat } of scripts) {
      if (!wanted.includes(fact)) continue;
      const [program, ...args] = [...words, ...zuliprcs, ...(chat ? [String(CHAT_TIMEOUT_S)] : [])] as [
        string,
        ...string[],
      ];
      await test.test(fact, async (part) => checkScript(part, await run(program, args, SCRIPT_TIMEOUT_MS)));
    }
  };
  const options = ['--rate-limits', 'on', '--api-levels', `${DEFAULT_LEVEL_BY_CLIENT},TodayBot=371`];

  await t.test('embedded face', async (test) => {
    const face = await Embedded.start(options);
    test.teardown(() => face.stop());
    await all(test, limited, first, face.zuliprcs);
    for (const { email } of [face.owner, face.other]) {
      await command(['user', 'rate-limit', email, 'off', '--data-dir', face.dataDir]);
    }
    await all(test, unlimited, first, face.zuliprcs);
  });

  if (!cluster) return;
  await t.test('cluster face, each user connected to a separate frontend', async (test) => {
    const face = await Cluster.start({ ...cluster, options }, 1);
    test.teardown(() => face.stop());
    await all(test, limited, second, face.zuliprcs);
    for (const { email } of [face.owner, face.other]) await face.command('user', 'rate-limit', email, 'off');
    await all(test, unlimited, second, face.zuliprcs);
  });
}
