/** TCP proxy on loopback that simulates the outage of a service without touching the service. */
import { connect, createServer, type Server, type Socket } from 'node:net';

export class TcpProxy {
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly host: string,
    private readonly port: number,
    public own: number,
  ) {}

  /** @param url URL of the service; the proxy connects to its first host */
  static async start(url: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(url);
    const proxy = new TcpProxy(hostname, Number(port), 0);
    await proxy.restore();
    return proxy;
  }

  /** Replaces the host in a URL by the proxy's address. */
  through(url: string): string {
    const through = new URL(url);
    through.host = `127.0.0.1:${this.own}`;
    return through.toString();
  }

  async restore(): Promise<void> {
    const server = createServer((near) => {
      const far = connect(this.port, this.host);
      for (const [a, b] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(a);
        a.on('error', () => {});
        a.on('close', () => {
          this.#sockets.delete(a);
          b.destroy();
        });
        a.pipe(b);
      }
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(this.own, '127.0.0.1', resolve);
    });
    this.own = (server.address() as { port: number }).port;
    this.#server = server;
  }

  /** Closes connections and refuses new ones. */
  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
