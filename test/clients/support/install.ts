/** Public client packages, installed once into a cache folder of this user. */
import { access, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { missing } from './missing.js';
import { run } from './process.js';

const INSTALL_MS = 120_000;
/** A build from nothing computes for two minutes. */
const CARGO_MS = 360_000;
const PIP_INSTALL = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];

/** CONCLAVE_CLIENTS_DIR, or a folder in the user's cache. */
function cache(name: string): string {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(process.env.CONCLAVE_CLIENTS_DIR || join(base, 'conclave-clients'), name);
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Runs the steps in an empty folder unless they all succeeded before. @returns the folder */
async function once(
  name: string,
  steps: (folder: string) => readonly (readonly string[])[],
): Promise<string | undefined> {
  const folder = cache(name);
  const complete = join(folder, '.complete');
  if (await exists(complete)) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [command, ...args] of steps(folder)) {
    const ended = await run(command!, args, INSTALL_MS).catch((error: Error) => ({ code: 1, stderr: error.message }));
    if (ended.code !== 0) return missing(`${name} can't be installed: ${ended.stderr.trim().split('\n').pop()}`);
  }
  await writeFile(complete, '');
  return folder;
}

/** @returns a Python with the package in it */
export async function pythonWith(version: string, requirements: string): Promise<string | undefined> {
  const folder = await once(`python-zulip-${version}`, (at) => [
    ['python3', '-m', 'venv', at],
    [join(at, 'bin/python'), ...PIP_INSTALL, '-r', requirements],
  ]);
  return folder && join(folder, 'bin/python');
}

/** @returns the program that runs bots of the package `zulip_bots` */
export async function botRunner(version: string): Promise<string | undefined> {
  const folder = await once(`zulip-bots-${version}`, (at) => [
    ['python3', '-m', 'venv', at],
    [join(at, 'bin/python'), ...PIP_INSTALL, `zulip_bots==${version}`, `zulip==${version}`],
  ]);
  return folder && join(folder, 'bin/zulip-run-bot');
}

/** The newest of these minor versions of Python 3: one of pyenv, or one on PATH. */
async function findPython(minors: readonly number[]): Promise<string | undefined> {
  const versions = join(process.env.PYENV_ROOT || join(homedir(), '.pyenv'), 'versions');
  const isWanted = (name: string): boolean => minors.some((minor) => name.startsWith(`3.${minor}.`));
  const installed = (await readdir(versions).catch(() => [])).filter(isWanted);
  const named = installed.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  const onPath = minors.map((minor) => `python3.${minor}`);
  for (const python of [...named.map((name) => join(versions, name, 'bin/python3')), ...onPath]) {
    const works = await run(python, ['-c', 'import venv, ensurepip'], INSTALL_MS).catch(() => undefined);
    if (works?.code === 0) return python;
  }
  return undefined;
}

/** @returns a Python with the package `async-zulip-bot-sdk` in it, which needs Python 3.12 */
export async function asyncSdk(requirements: string): Promise<string | undefined> {
  const python = await findPython([14, 13, 12]);
  if (!python) return missing('async-zulip-bot-sdk: no Python from 3.12 on');
  const version = /==(\S+)/.exec(await readFile(requirements, 'utf8'))?.[1];
  const folder = await once(`async-zulip-bot-sdk-${version}`, (at) => [
    [python, '-m', 'venv', at],
    [join(at, 'bin/python'), ...PIP_INSTALL, '-r', requirements],
  ]);
  return folder && join(folder, 'bin/python');
}

/** @returns a Python with the terminal client in it; the requirements are those of the package */
export async function zulipTerm(version: string, requirements: string): Promise<string | undefined> {
  const python = (await findPython([10, 9])) ?? 'python3';
  const folder = await once(`zulip-term-${version}`, (at) => [
    [python, '-m', 'venv', at],
    [join(at, 'bin/python'), ...PIP_INSTALL, '-r', requirements],
    // It names 3.10 as its newest Python, but runs on later ones; what it needs is another matter.
    [join(at, 'bin/python'), ...PIP_INSTALL, '--no-deps', '--ignore-requires-python', `zulip-term==${version}`],
  ]);
  return folder && join(folder, 'bin/python');
}

/** @returns a folder whose node_modules has the package */
export async function npmPackage(name: string, version: string): Promise<string | undefined> {
  return once(`${name}-${version}`, (at) => [
    ['npm', 'install', '--silent', '--no-audit', '--no-fund', '--prefix', at, `${name}@${version}`],
  ]);
}

/** Cargo on PATH, or where rustup puts it. */
async function findCargo(): Promise<string | undefined> {
  for (const cargo of ['cargo', join(homedir(), '.cargo/bin/cargo')]) {
    const works = await run(cargo, ['--version'], INSTALL_MS).catch(() => undefined);
    if (works?.code === 0) return cargo;
  }
  return undefined;
}

/**
 * Builds a program with its locked crates. Cargo keeps what is built in the cache, and a build waits for one that
 * `.ci/run` has started.
 * @param manifest Cargo.toml of the program, whose folder has the name of the program
 * @returns the program
 */
export async function rustProgram(manifest: string): Promise<string | undefined> {
  const name = basename(dirname(manifest));
  const cargo = await findCargo();
  if (!cargo) return missing(`${name}: no cargo`);
  const folder = cache(name);
  const args = ['build', '--quiet', '--locked', '--manifest-path', manifest, '--target-dir', folder];
  const { code, stderr } = await run(cargo, args, CARGO_MS);
  return code === 0
    ? join(folder, 'debug', name)
    : missing(`${name} can't be built: ${stderr.trim().split('\n').slice(-5).join(' ') || 'it takes too long'}`);
}
