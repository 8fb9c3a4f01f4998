/** Check: users see their own changes in every response after the one that confirmed the change. */
import type { CallRecord, RunRecord } from './record.js';

/** In the same step: it was begun by the answer. */
const before = (one: CallRecord, other: CallRecord): boolean => one.outcome !== 'open' && one.ended <= other.begun;

/** Drafts that were acknowledged are listed, whichever host had them then, and no others. */
function checkDrafts({ calls }: RunRecord): string[] {
  const problems: string[] = [];
  const made = calls.filter(({ kind }) => kind === 'draft');
  for (const list of calls) {
    if (list.kind !== 'drafts' || list.outcome !== 'ok') continue;
    const shown = (list.body.drafts as { content: string }[]).map(({ content }) => content);
    const own = made.filter(({ user }) => user === list.user);
    for (const draft of own) {
      const times = shown.filter((content) => content === draft.op).length;
      if (times > 1) problems.push(`${list.op} shows ${draft.op} ${times} times`);
      if (times === 0 && draft.outcome === 'ok' && draft.ended < list.begun)
        problems.push(`${list.op} does not show ${draft.op} (draft), acknowledged before`);
      if (times > 0 && (draft.begun > list.ended || (draft.outcome === 'refused' && !draft.repeated)))
        problems.push(`${list.op} shows ${draft.op} (draft), which cannot be`);
    }
    for (const content of shown) {
      if (!own.some(({ op }) => op === content)) problems.push(`${list.op} shows ${content}, which is not his`);
    }
  }
  return problems;
}

/** A new name that was acknowledged is shown by the frontend that said so. */
function checkNames({ calls }: RunRecord): string[] {
  const problems: string[] = [];
  for (const me of calls) {
    if (me.kind !== 'me' || me.outcome !== 'ok') continue;
    const renames = calls.filter(({ kind, user, begun }) => kind === 'rename' && user === me.user && begun < me.ended);
    const last = renames.filter((one) => one.outcome === 'ok' && before(one, me)).sort((a, b) => b.ended - a.ended)[0];
    // Others may have been carried out since.
    const open = renames.filter((one) => one === last || one.outcome !== 'ok' || (last && one.ended > last.begun));
    const shown = String(me.body.full_name);
    if (!open.some(({ op }) => shown.endsWith(` ${op}`))) problems.push(`${me.op} shows ${shown}, after ${last?.op}`);
  }
  return problems;
}

export const checkOwn = (run: RunRecord): string[] => [...checkDrafts(run), ...checkNames(run)];
