import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';
import type { Organization } from '../../api/support/organization.js';

/** A line between browsers and a server that a test cuts. Its port stays when the server starts again. */
export interface Line {
  /** The organization, reached by the line. */
  readonly org: Organization;
  cut(): void;
  mend(): void;
}

export async function openLine(t: Test, org: Organization): Promise<Line> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const line = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(org.server.nextPort(), '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((done) => line.listen(0, '127.0.0.1', done));
  const { port } = line.address() as AddressInfo;
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  t.teardown(() => {
    end();
    line.close();
  });
  const { server } = org;
  const reached = { ...server, nextPort: () => port };
  return {
    org: { ...org, server: reached },
    cut() {
      isCut = true;
      end();
    },
    mend() {
      isCut = false;
    },
  };
}
