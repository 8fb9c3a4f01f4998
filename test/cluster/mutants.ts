/**
 * Measures how well the simulation finds faults: puts each fault of mutant-table.ts into a copy of the build, and
 * prints the first seed that catches it. Use: `node dist/test/cluster/mutants.js [--seeds 300] [--only word,word]`.
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
const built = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const modules = join(dirname(createRequire(import.meta.url).resolve('xstate/package.json')), '..');
const PATIENCE_MS = 300_000;
/** Import map of the copy, which has the folders of the build at its top. */
const DOORS = { '#actors/*': './actors/*/index.js', '#*': './src/*/index.js' };

/** Of the whole cluster; undefined: every seed passes. */
function inCluster(copy: string): string | undefined {
  const args = [join(copy, 'test/cluster/simulate.js'), '--first', '--seeds', values.seeds];
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: PATIENCE_MS });
  if (status === 0) return undefined;
  const [, seed, problem] = /^seed (\d+) fails.*\n {2}(.*)/m.exec(stdout) ?? [];
  if (seed !== undefined) return `seed ${seed}: ${problem?.slice(0, 110)}`;
  return status === null ? 'NOT CAUGHT in time' : 'the simulation itself breaks';
}

/** Of the runtime with small actors, whose whole history is known (simulator.test.ts). */
function inRuntime(copy: string): string | undefined {
  const env = { ...process.env, SEEDS: values.seeds };
  const args = [join(copy, 'test/cluster/simulator.test.js')];
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: PATIENCE_MS, env });
  if (status === 0) return undefined;
  const [, seed] = /not ok \d+ - seed (\d+)/.exec(stdout) ?? [];
  const [, problem = 'it does not end'] = /problems: ?\n? *- ?(.*)/.exec(stdout) ?? [];
  return seed === undefined ? 'the simulation itself breaks' : `seed ${seed} of the runtime: ${problem.slice(0, 110)}`;
}

/** Runs the scenes that chance hardly ever produces (joining.test.ts) against the mutant. */
function inScene(copy: string): string | undefined {
  const args = [join(copy, 'test/cluster/joining.test.js')];
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: PATIENCE_MS });
  if (status === 0) return undefined;
  return `seed ${/not ok \d+ - seed (\d+)/.exec(stdout)?.[1] ?? '?'} of who joins and sends`;
}

/** Seed that catches it, or what else came of it. */
function tried({ file, find, put, all }: Mutant): string {
  const copy = mkdtempSync(join(tmpdir(), 'mutant-'));
  try {
    for (const part of ['src', 'actors', 'test/cluster', 'test/support', 'test/api/support']) {
      cpSync(join(built, part), join(copy, part), { recursive: true });
    }
    symlinkSync(modules, join(copy, 'node_modules'));
    writeFileSync(join(copy, 'package.json'), JSON.stringify({ type: 'module', version: '0.0.0', imports: DOORS }));
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    if (!text.includes(find)) return 'DOES NOT APPLY: the product has changed';
    writeFileSync(path, all ? text.replaceAll(find, put) : text.replace(find, put));
    return inCluster(copy) ?? inRuntime(copy) ?? inScene(copy) ?? 'NOT CAUGHT';
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

let missed = 0;
for (const mutant of MUTANTS) {
  if (values.only !== undefined && !values.only.split(',').some((word) => mutant.name.includes(word))) continue;
  const found = tried(mutant);
  const result = found === 'NOT CAUGHT' && mutant.harmless ? `harmless: ${mutant.harmless}` : found;
  if (result === found && !result.startsWith('seed')) missed++;
  console.log(`${mutant.name.padEnd(55)} ${result}`);
}
process.exit(missed === 0 ? 0 : 1);
