/**
 * Bare program for the case `web`: a page with one text box and a list, and a server that passes a text from one page
 * to the polls of all others. Its time from Enter to the painted message in another page is the lower bound for the
 * web client on this machine and in this browser.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Number of messages that a page shows at its start. */
const SHOWN_MESSAGES = 50;

const PAGE = `<!doctype html><meta charset="utf-8"><title>bare</title>
<style>.list { height: 600px; overflow: auto }</style>
<div class="list">${'<div class="message-row"><div class="message-body">a message</div></div>'.repeat(SHOWN_MESSAGES)}</div>
<textarea class="compose-text"></textarea>
<script>
  const box = document.querySelector('.compose-text');
  const list = document.querySelector('.list');
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    fetch('/send', { method: 'POST', body: box.value });
    box.value = '';
  });
  const listen = async () => {
    for (;;) {
      const { content } = await (await fetch('/poll')).json();
      const row = list.firstElementChild.cloneNode(true);
      row.firstElementChild.textContent = content;
      list.append(row);
      list.scrollTop = list.scrollHeight;
    }
  };
  void listen();
</script>`;

export interface BarePages {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startBarePages(): Promise<BarePages> {
  const polls = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    if (request.url === '/poll') {
      polls.add(response);
      response.on('close', () => polls.delete(response));
    } else if (request.url === '/send') {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const answer = JSON.stringify({ content: Buffer.concat(parts).toString() });
        for (const poll of polls) poll.writeHead(200, { 'content-type': 'application/json' }).end(answer);
        polls.clear();
        response.end();
      });
    } else response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
