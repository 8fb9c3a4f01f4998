/** Both ends of a process link, within one process over a socket pair. */
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProcessLink } from '#ports/wire';

export interface LinkPair {
  /** End of the main process, which has the actors and the log. */
  readonly main: ProcessLink;
  readonly worker: ProcessLink;
}

export async function openLinkPair(): Promise<LinkPair> {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-link-'));
  const path = join(folder, 'socket');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const worker = ProcessLink.openWithReadBuffer((onread) => connect({ path, onread }));
  const main = await accepted;
  server.close();
  await rm(folder, { recursive: true });
  return { main: new ProcessLink(main), worker };
}
