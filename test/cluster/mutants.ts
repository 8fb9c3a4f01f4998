/**
 * Command that measures how well the simulations find faults: puts each fault of mutant-table.ts into a copy of the
 * build and prints the first failing seed. Use: `node dist/test/cluster/mutants.js [--seeds 300] [--only word,word]`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MUTANTS, type Mutant } from './mutant-table.js';

const { values } = parseArgs({ options: { seeds: { type: 'string', default: '300' }, only: { type: 'string' } } });
const buildFolder = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const modulesFolder = join(dirname(createRequire(import.meta.url).resolve('xstate/package.json')), '..');
const RUN_TIMEOUT_MS = 300_000;
/** Import map of the copy, which has no `dist` folder. */
const IMPORT_MAP = { '#actors/*': './actors/*/index.js', '#*': './src/*/index.js' };

/** Runs the simulated cluster against the mutant. @returns the failing seed; undefined if all seeds pass */
function runCluster(copy: string): string | undefined {
  const args = [join(copy, 'test/cluster/simulate.js'), '--first', '--seeds', values.seeds];
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: RUN_TIMEOUT_MS });
  if (status === 0) return undefined;
  const [, seed, problem] = /^seed (\d+) fails.*\n {2}(.*)/m.exec(stdout) ?? [];
  if (seed !== undefined) return `seed ${seed}: ${problem?.slice(0, 110)}`;
  return status === null ? 'NOT CAUGHT in time' : 'the simulation cannot run';
}

/** Runs the simulation of the runtime (runtime.test.ts) against the mutant. @returns the failing seed */
function runRuntime(copy: string): string | undefined {
  const env = { ...process.env, SEEDS: values.seeds };
  const args = [join(copy, 'test/cluster/runtime.test.js')];
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: RUN_TIMEOUT_MS, env });
  if (status === 0) return undefined;
  const [, seed] = /not ok \d+ - seed (\d+)/.exec(stdout) ?? [];
  const [, problem = 'the run does not end'] = /problems: ?\n? *- ?(.*)/.exec(stdout) ?? [];
  return seed === undefined ? 'the simulation cannot run' : `seed ${seed} of the runtime: ${problem.slice(0, 110)}`;
}

/** Runs the rare combinations of joining.test.ts against the mutant. @returns the failing seed */
function runJoining(copy: string): string | undefined {
  const args = [join(copy, 'test/cluster/joining.test.js')];
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: RUN_TIMEOUT_MS });
  if (status === 0) return undefined;
  return `seed ${/not ok \d+ - seed (\d+)/.exec(stdout)?.[1] ?? '?'} of a send by a new member`;
}

/** @returns the failing seed of the mutant, or why there is none */
function testMutant({ file, find, put, all }: Mutant): string {
  const copy = mkdtempSync(join(tmpdir(), 'mutant-'));
  try {
    for (const part of ['src', 'actors', 'test/cluster', 'test/support', 'test/api/support']) {
      cpSync(join(buildFolder, part), join(copy, part), { recursive: true });
    }
    symlinkSync(modulesFolder, join(copy, 'node_modules'));
    writeFileSync(
      join(copy, 'package.json'),
      JSON.stringify({ type: 'module', version: '0.0.0', imports: IMPORT_MAP }),
    );
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    if (!text.includes(find)) return 'DOES NOT APPLY: the product has changed';
    writeFileSync(path, all ? text.replaceAll(find, put) : text.replace(find, put));
    return runCluster(copy) ?? runRuntime(copy) ?? runJoining(copy) ?? 'NOT CAUGHT';
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

let failures = 0;
for (const mutant of MUTANTS) {
  if (values.only !== undefined && !values.only.split(',').some((word) => mutant.name.includes(word))) continue;
  const result = testMutant(mutant);
  const line = result === 'NOT CAUGHT' && mutant.harmless ? `harmless: ${mutant.harmless}` : result;
  if (line === result && !line.startsWith('seed')) failures++;
  console.log(`${mutant.name.padEnd(55)} ${line}`);
}
process.exit(failures === 0 ? 0 : 1);
