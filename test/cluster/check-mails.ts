/** Check: mails about missed messages come once per conversation and batching period, and never for what was read. */
import type { ApiMessage } from '../api/support/types.js';
import type { ParsedLog } from './check-log.js';
import type { CallRecord, MailRecord, RunRecord } from './record.js';

/** The default of `email_notifications_batching_period_seconds`, ms. */
const PERIOD_MS = 120_000;

/** Messages whose senders had their answers when the call began, or that had reached a client by then. */
const sentBefore = ({ begun }: CallRecord, { calls, queues }: RunRecord): number[] => [
  ...calls
    .filter(({ kind, outcome, ended }) => kind === 'send' && outcome === 'ok' && ended < begun)
    .map(({ body }) => body.id as number),
  ...queues
    .flatMap(({ polls }) => polls)
    .filter(({ outcome, ended }) => outcome === 'ok' && ended < begun)
    .flatMap(({ events }) => events)
    .filter(({ type }) => type === 'message')
    .map(({ message }) => (message as ApiMessage).id),
];

export function checkMails(run: RunRecord, { messages }: ParsedLog): string[] {
  const { mails, calls } = run;
  const problems: string[] = [];
  const byId = new Map<string, MailRecord>();
  for (const mail of mails) {
    const before = byId.get(mail.id);
    // A mail may be sent twice around a crash, but under one id, which mail programs show once.
    if (before && JSON.stringify(before) !== JSON.stringify(mail)) problems.push(`two mails are ${mail.id}`);
    byId.set(mail.id, mail);
  }
  const latest = new Map<string, MailRecord>();
  for (const mail of [...byId.values()].sort((a, b) => a.date - b.date)) {
    const before = latest.get(`${mail.user} ${mail.thread}`);
    if (before && mail.date - before.date < PERIOD_MS)
      problems.push(`${mail.user} got ${mail.id} ${mail.date - before.date} ms after ${before.id}`);
    latest.set(`${mail.user} ${mail.thread}`, mail);
  }
  for (const { user, id, date, ops } of byId.values()) {
    const read = new Set(
      calls
        .filter((call) => call.outcome === 'ok' && call.user === user && call.endedMs! < date)
        .flatMap((call) =>
          call.kind === 'read all' ? sentBefore(call, run) : call.kind === 'read' ? call.messages! : [],
        ),
    );
    // Messages of the notification bot have no name.
    if (ops.length === 0) continue;
    const shown = messages.filter(({ op }) => ops.includes(op));
    if (shown.length < new Set(ops).size) problems.push(`${id} shows ${ops.join()}, not all of them sent`);
    if (shown.every((message) => message.sender === user || read.has(message.id)))
      problems.push(`${user} got ${id} about ${ops.join()}, read before`);
  }
  return problems;
}
