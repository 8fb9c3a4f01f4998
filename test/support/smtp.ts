/** Real SMTP server on loopback that can refuse recipients and connections, stop listening and listen again. */
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly raw: string;
}

export interface TestSmtp {
  readonly url: string;
  readonly received: ReceivedMail[];
  /** Number of accepted connections. */
  readonly connections: number;
  /** SMTP code with which a recipient is refused; undefined accepts the recipient. */
  refuse: (address: string) => number | undefined;
  /** Text of a refusal, after its code. */
  refusal: (address: string) => string;
  /** True hangs up at a recipient, without a reply. */
  hangUp: (address: string) => boolean;
  /** Stops listening; `back` listens on the same port again. */
  away(): Promise<void>;
  back(): Promise<void>;
}

const answer = (code: number, text = 'refused by the test'): Error =>
  Object.assign(new Error(text), { responseCode: code });

/** @param maxClients connections at a time; further ones get 421 */
export async function startSmtp(
  login?: { readonly user: string; readonly pass: string },
  maxClients?: number,
): Promise<TestSmtp> {
  let server: SMTPServer | undefined;
  let port = 0;
  let connections = 0;
  const received: ReceivedMail[] = [];
  const smtp = {
    received,
    refuse: (_address: string): number | undefined => undefined,
    refusal: (_address: string): string => 'refused by the test',
    hangUp: (_address: string): boolean => false,
    get connections() {
      return connections;
    },
    get url() {
      return `smtp://${login ? `${login.user}:${login.pass}@` : ''}127.0.0.1:${port}`;
    },
    async back() {
      const opened = new SMTPServer({
        disabledCommands: login ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
        authOptional: !login,
        allowInsecureAuth: true,
        ...(maxClients === undefined ? {} : { maxClients }),
        onConnect(_session, done) {
          connections++;
          done();
        },
        onAuth({ username, password }, _session, done) {
          if (username === login?.user && password === login?.pass) done(null, { user: username });
          else done(answer(535));
        },
        onRcptTo({ address }, session, done) {
          if (smtp.hangUp(address)) {
            for (const { id, _socket } of opened.connections) if (id === session.id) _socket.destroy();
            return;
          }
          const code = smtp.refuse(address);
          done(code === undefined ? null : answer(code, smtp.refusal(address)));
        },
        onData(stream, session, done) {
          const chunks: Buffer[] = [];
          stream.on('data', (chunk: Buffer) => chunks.push(chunk));
          stream.on('end', () => {
            const to = session.envelope.rcptTo.map(({ address }) => address);
            received.push({ to, raw: Buffer.concat(chunks).toString('utf8') });
            done();
          });
        },
      });
      // A client that disconnects early is no failure of the test.
      opened.on('error', () => undefined);
      await new Promise<void>((resolve) => opened.listen(port, '127.0.0.1', resolve));
      port = (opened.server.address() as { port: number }).port;
      server = opened;
    },
    async away() {
      const open = server;
      server = undefined;
      if (open) await new Promise<void>((resolve) => open.close(resolve));
    },
  };
  await smtp.back();
  return smtp;
}
