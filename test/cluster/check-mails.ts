/** Check: one mail about missed messages per conversation and batching period, and none about read messages. */
import type { ApiMessage } from '../api/support/types.js';
import type { ParsedLog } from './check-log.js';
import type { CallRecord, MailRecord, RunRecord } from './record.js';

/** The default of `email_notifications_batching_period_seconds`, ms. */
const PERIOD_MS = 120_000;

/** @returns the messages whose send was confirmed, or that a poll delivered, before the call */
const sentBefore = ({ startStep }: CallRecord, { calls, queues }: RunRecord): number[] => [
  ...calls
    .filter(({ kind, outcome, endStep }) => kind === 'send' && outcome === 'ok' && endStep < startStep)
    .map(({ body }) => body.id as number),
  ...queues
    .flatMap(({ polls }) => polls)
    .filter(({ outcome, endStep }) => outcome === 'ok' && endStep < startStep)
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
    // A crash may repeat a mail under the same id; mail programs show it once.
    if (before && JSON.stringify(before) !== JSON.stringify(mail))
      problems.push(`two different mails have id ${mail.id}`);
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
        .filter((call) => call.outcome === 'ok' && call.user === user && call.endMs! < date)
        .flatMap((call) =>
          call.kind === 'read all' ? sentBefore(call, run) : call.kind === 'read' ? call.messages! : [],
        ),
    );
    // Mails that show only messages of the notification bot name no calls.
    if (ops.length === 0) continue;
    const shown = messages.filter(({ op }) => ops.includes(op));
    if (shown.length < new Set(ops).size) problems.push(`${id} shows ${ops.join()}, not all of them sent`);
    if (shown.every((message) => message.sender === user || read.has(message.id)))
      problems.push(`${user} got ${id} about ${ops.join()}, all read before`);
  }
  return problems;
}
