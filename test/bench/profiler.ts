/** CPU profiles of the server processes during the measurement of a case, and their flame graphs. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Profile } from './cpuprofile.js';
import type { Face } from './faces.js';
import { groupShares, sharesTable } from './flame-groups.js';
import { flameSvg } from './flame-svg.js';
import { collapse, flameTree } from './flame-tree.js';

const PROFILE_TIMEOUT_MS = 30_000;

export interface ProfileOutput {
  /** Folder of the CPU profiles; the servers get it as `PROFILE_DIR`. */
  readonly profiles: string;
  /** Folder of the flame graphs. */
  readonly flames: string;
  /** Share of the busy time below which a graph leaves a frame out. */
  readonly minShare: number;
  /** Shares of the groups (flame-groups.ts) by the name of the graph; `runProfiled` adds an entry for each graph. */
  readonly shares: Map<string, readonly number[]>;
}

async function waitForFile(path: string): Promise<void> {
  const until = performance.now() + PROFILE_TIMEOUT_MS;
  while (!existsSync(path)) {
    if (performance.now() > until) throw new Error(`no ${path}`);
    await sleep(20);
  }
}

const toggleProfilers = (face: Face): void => {
  for (const pid of face.pids) process.kill(pid, 'SIGUSR2');
};

/**
 * Profiles all server processes while `work` runs. The files have names like `send-cluster-http.cpuprofile` and
 * `me-embedded.svg`.
 */
export async function runProfiled<T>(face: Face, name: string, to: ProfileOutput, work: () => Promise<T>): Promise<T> {
  await mkdir(to.flames, { recursive: true });
  const file = (pid: number, what: string): string => join(to.profiles, `${pid}.${what}`);
  for (const pid of face.pids) await rm(file(pid, 'started'), { force: true });
  toggleProfilers(face);
  await Promise.all(face.pids.map((pid) => waitForFile(file(pid, 'started'))));
  try {
    return await work();
  } finally {
    toggleProfilers(face);
    for (const [i, pid] of face.pids.entries()) {
      await waitForFile(file(pid, 'cpuprofile'));
      const role = face.roles[i]!;
      const graphName = [name, face.name, ...(role === face.name ? [] : [role])].join('-');
      const profilePath = join(to.profiles, `${graphName}.cpuprofile`);
      await rename(file(pid, 'cpuprofile'), profilePath);
      const tree = flameTree(JSON.parse(await readFile(profilePath, 'utf8')) as Profile);
      to.shares.set(graphName, groupShares(tree));
      await writeFile(join(to.flames, `${graphName}.svg`), flameSvg(collapse(tree, to.minShare), graphName));
    }
  }
}

/** Writes the page beside the graphs, with the table of shares. @param about machine and commit */
export async function writeSharesPage({ flames, shares: found }: ProfileOutput, about: string): Promise<void> {
  const page = `# Where the time goes

Share of busy time by area (time that a frame spends itself), and a flame graph of each: callers below, callees above,
width is time; hover over a frame for its place. \`npm run bench -- --flames\` measures and draws them again.

${sharesTable(found)}

${about}
`;
  await writeFile(join(flames, 'README.md'), page);
}
