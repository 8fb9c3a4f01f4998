/** Installs public client packages once, into a cache folder of this user. */
import { access, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { missing } from './missing.js';
import { run } from './process.js';

const INSTALL_TIMEOUT_MS = 120_000;
/** Timeout of a cargo build; a build from scratch takes two minutes of CPU. */
const CARGO_TIMEOUT_MS = 360_000;
const PIP_INSTALL = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];

/** Path of a folder in CONCLAVE_CLIENTS_DIR, or in the user's cache. */
function cache(name: string): string {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(process.env.CONCLAVE_CLIENTS_DIR || join(base, 'conclave-clients'), name);
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Runs the steps in an empty folder, unless they all succeeded before.
 * @returns the folder
 */
async function installOnce(
  name: string,
  steps: (folder: string) => readonly (readonly string[])[],
): Promise<string | undefined> {
  const folder = cache(name);
  const complete = join(folder, '.complete');
  if (await exists(complete)) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [command, ...args] of steps(folder)) {
    const ended = await run(command!, args, INSTALL_TIMEOUT_MS).catch((error: Error) => ({
      code: 1,
      stderr: error.message,
    }));
    if (ended.code !== 0) return missing(`${name} can't be installed: ${ended.stderr.trim().split('\n').pop()}`);
  }
  await writeFile(complete, '');
  return folder;
}

/** @returns path of a Python with the package installed */
export async function pythonWith(version: string, requirements: string): Promise<string | undefined> {
  const folder = await installOnce(`python-zulip-${version}`, (at) => [
    ['python3', '-m', 'venv', at],
    [join(at, 'bin/python'), ...PIP_INSTALL, '-r', requirements],
  ]);
  return folder && join(folder, 'bin/python');
}

/** @returns path of the bot runner of the package `zulip_bots` */
export async function botRunner(version: string): Promise<string | undefined> {
  const folder = await installOnce(`zulip-bots-${version}`, (at) => [
    ['python3', '-m', 'venv', at],
    [join(at, 'bin/python'), ...PIP_INSTALL, `zulip_bots==${version}`, `zulip==${version}`],
  ]);
  return folder && join(folder, 'bin/zulip-run-bot');
}

/** Finds the newest of these minor versions of Python 3, in pyenv or on PATH. */
async function findPython(minors: readonly number[]): Promise<string | undefined> {
  const versions = join(process.env.PYENV_ROOT || join(homedir(), '.pyenv'), 'versions');
  const isWanted = (name: string): boolean => minors.some((minor) => name.startsWith(`3.${minor}.`));
  const installed = (await readdir(versions).catch(() => [])).filter(isWanted);
  const named = installed.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  const onPath = minors.map((minor) => `python3.${minor}`);
  for (const python of [...named.map((name) => join(versions, name, 'bin/python3')), ...onPath]) {
    const works = await run(python, ['-c', 'import venv, ensurepip'], INSTALL_TIMEOUT_MS).catch(() => undefined);
    if (works?.code === 0) return python;
  }
  return undefined;
}

/** @returns path of a Python with the package `async-zulip-bot-sdk`, which needs Python 3.12 */
export async function asyncSdk(requirements: string): Promise<string | undefined> {
  const python = await findPython([14, 13, 12]);
  if (!python) return missing('async-zulip-bot-sdk: no Python from 3.12 on');
  const version = /==(\S+)/.exec(await readFile(requirements, 'utf8'))?.[1];
  const folder = await installOnce(`async-zulip-bot-sdk-${version}`, (at) => [
    [python, '-m', 'venv', at],
    [join(at, 'bin/python'), ...PIP_INSTALL, '-r', requirements],
  ]);
  return folder && join(folder, 'bin/python');
}

/** @returns path of a Python with the terminal client installed; `requirements` are those of its package */
export async function zulipTerm(version: string, requirements: string): Promise<string | undefined> {
  const python = (await findPython([10, 9])) ?? 'python3';
  const folder = await installOnce(`zulip-term-${version}`, (at) => [
    [python, '-m', 'venv', at],
    [join(at, 'bin/python'), ...PIP_INSTALL, '-r', requirements],
    // The package names 3.10 as its newest Python, but runs on later ones. Its dependencies are installed separately.
    [join(at, 'bin/python'), ...PIP_INSTALL, '--no-deps', '--ignore-requires-python', `zulip-term==${version}`],
  ]);
  return folder && join(folder, 'bin/python');
}

/** @returns a folder whose node_modules contains the package */
export async function npmPackage(name: string, version: string): Promise<string | undefined> {
  return installOnce(`${name}-${version}`, (at) => [
    ['npm', 'install', '--silent', '--no-audit', '--no-fund', '--prefix', at, `${name}@${version}`],
  ]);
}

/** Finds cargo on PATH or in the folder of rustup. */
async function findCargo(): Promise<string | undefined> {
  for (const cargo of ['cargo', join(homedir(), '.cargo/bin/cargo')]) {
    const works = await run(cargo, ['--version'], INSTALL_TIMEOUT_MS).catch(() => undefined);
    if (works?.code === 0) return cargo;
  }
  return undefined;
}

/**
 * Builds a program with its locked crates. Cargo keeps the build in the cache and waits for a build that `.ci/run` has
 * started.
 * @param manifest path of the program's Cargo.toml, whose folder is named like the program
 * @returns path of the program
 */
export async function rustProgram(manifest: string): Promise<string | undefined> {
  const name = basename(dirname(manifest));
  const cargo = await findCargo();
  if (!cargo) return missing(`${name}: no cargo`);
  const folder = cache(name);
  const args = ['build', '--quiet', '--locked', '--manifest-path', manifest, '--target-dir', folder];
  const { code, stderr } = await run(cargo, args, CARGO_TIMEOUT_MS);
  return code === 0
    ? join(folder, 'debug', name)
    : missing(`${name} can't be built: ${stderr.trim().split('\n').slice(-5).join(' ') || 'it takes too long'}`);
}
