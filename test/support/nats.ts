import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { connect } from 'nats';
import t from 'tap';
import { freePort } from './free-port.js';

/** URL of the NATS server of this test run. Undefined: the test is reported as skipped, or as failed on CI. */
export function natsUrl(): string | undefined {
  const url = process.env.NATS_URL;
  if (!url) missing('NATS_URL is not set: deploy/dev/services up, then . .services/env');
  return url;
}

function missing(message: string): void {
  if (process.env.CI) t.fail(message);
  else t.pass(`skipped: ${message}`, { skip: message });
}

/**
 * Path of a nats-server binary, for tests that stop the server. Undefined: the test is reported as skipped, or as
 * failed on CI.
 */
export function natsServerBinary(): string | undefined {
  const given = process.env.NATS_SERVER_BIN;
  if (given) return given;
  const folders = [
    ...(process.env.CONCLAVE_SERVICES_DIR ? [join(process.env.CONCLAVE_SERVICES_DIR, 'bin')] : []),
    '.services/bin',
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  for (const folder of folders) {
    const found =
      names(folder).find((n) => n === 'nats-server') ?? names(folder).find((n) => n.startsWith('nats-server'));
    if (found && executable(join(folder, found))) return join(folder, found);
  }
  missing('no nats-server binary: set NATS_SERVER_BIN');
  return undefined;
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Private nats-server of a test, with JetStream in a temporary folder, that can be killed and restarted. */
export class OwnNats {
  #process: ChildProcess | undefined;

  private constructor(
    readonly binary: string,
    readonly port: number,
    readonly folder: string,
  ) {}

  static async start(binary: string): Promise<OwnNats> {
    const nats = new OwnNats(binary, await freePort(), mkdtempSync(join(tmpdir(), 'conclave-nats-')));
    await nats.up();
    return nats;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  async up(): Promise<void> {
    const args = ['-a', '127.0.0.1', '-p', String(this.port), '-js', '-sd', this.folder];
    this.#process = spawn(this.binary, args, { stdio: 'ignore' });
    const probe = await connect({
      servers: this.url,
      waitOnFirstConnect: true,
      maxReconnectAttempts: 200,
      reconnectTimeWait: 50,
      reconnectJitter: 0,
    });
    // JetStream becomes ready some time after the port opens.
    for (let i = 0; ; i++) {
      try {
        await (await probe.jetstreamManager({ timeout: 1_000 })).getAccountInfo();
        break;
      } catch (error) {
        if (i > 20) throw error;
      }
    }
    await probe.close();
  }

  /** Kills the server by SIGKILL. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child) return;
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGKILL');
    await exited;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
