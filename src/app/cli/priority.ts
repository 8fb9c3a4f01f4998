/** Priority of commands that work for long beside a server. */
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { constants, getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

/** Folder of a process's threads, and the link that leads each thread to its own; on Linux alone. */
const THREADS_FOLDER = '/proc/self/task';
const OWN_THREAD_LINK = '/proc/thread-self';
/** Number of reads that are spread over libuv's threads, so that each of them makes at least one. */
const READS_OF_OWN_THREAD = 64;

/**
 * Lets a server on the same machine go first: people wait for its answers. On Linux the threads get the policy
 * `SCHED_IDLE`: a server thread that wakes up preempts them at once, but waits for up to 3 ms beside threads of the
 * nice value 19. New threads inherit the policy of the one that makes them.
 *
 * @param isWriting true if libuv's threads write into the store and hold its lock meanwhile. Under `SCHED_IDLE` a busy
 * server that waits for the lock could keep them from releasing it, so they get the nice value 10 only.
 */
export async function lowerPriorityOfThreads(isWriting: boolean): Promise<void> {
  const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
  const writing = isWriting ? await listLibuvThreads() : new Set<number>();
  const others = (await listThreads()).filter((thread) => !writing.has(thread));
  for (const thread of writing) tryLowerPriority(thread, PRIORITY_BELOW_NORMAL);
  for (const thread of others) tryLowerPriority(thread, PRIORITY_LOW);
  await tryMakeIdle(others);
  await tryLowerOwnSession(PRIORITY_LOW);
}

const listThreads = (): Promise<number[]> =>
  readdir(THREADS_FOLDER).then(
    (names) => names.map(Number),
    () => [process.pid],
  );

/** libuv's threads read links, each its own. */
async function listLibuvThreads(): Promise<ReadonlySet<number>> {
  const reads = Array.from({ length: READS_OF_OWN_THREAD }, () => readlink(OWN_THREAD_LINK).catch(() => undefined));
  return new Set((await Promise.all(reads)).flatMap((link) => (link === undefined ? [] : [Number(basename(link))])));
}

function tryLowerPriority(thread: number, priority: number): void {
  try {
    // A higher nice value means a lower priority. The operator may have given the process a lower one already.
    if (getPriority(thread) < priority) setPriority(thread, priority);
  } catch {
    // The thread has ended.
  }
}

/** Node can't set the policy; `chrt` of util-linux or BusyBox does. Where it is missing, the nice value remains. */
const tryMakeIdle = (threads: readonly number[]): Promise<void> =>
  new Promise((resolve) => {
    const words = ['-c', 'for thread do chrt -i -p 0 "$thread"; done', 'sh', ...threads.map(String)];
    execFile('sh', words, () => resolve());
  });

/**
 * Where Linux groups sessions, it divides the processor among them before the priorities within one count. The group
 * has a nice value, too, which is changed only if this process leads its session: a shell would keep it.
 */
async function tryLowerOwnSession(priority: number): Promise<void> {
  try {
    const stat = await readFile('/proc/self/stat', 'latin1');
    // Behind the name of the program, in parentheses: state, parent, process group, session.
    const session = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
    if (session === process.pid) await writeFile('/proc/self/autogroup', String(priority));
  } catch {
    // The system has no such files, or does not group sessions.
  }
}
