/** Ports for servers that tests start by number, some of them more than once. */
import { createServer } from 'node:net';

/**
 * Range of the ports. Linux gives higher ones, from 32768 on, to connections of any program, which may take a port
 * between its choice and the start of the server.
 */
const FIRST_PORT = 15_000;
const LAST_PORT = 31_999;

/** Returns a port on which no server of this machine listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT + 1));
    if (await canListen(port)) return port;
  }
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (isListening) await new Promise<void>((resolve) => server.close(() => resolve()));
  return isListening;
}
