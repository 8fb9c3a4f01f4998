/** Check: users see their own changes in every response after the one that confirmed the change. */
import type { CallRecord, RunRecord } from './record.js';

/** @returns whether `one` had its response when `other` was sent; a response may send a call in the same step */
const isConfirmedBefore = (one: CallRecord, other: CallRecord): boolean =>
  one.outcome !== 'open' && one.endStep <= other.startStep;

/** Each confirmed draft is listed once, and no drafts of other users are. */
function checkDrafts({ calls }: RunRecord): string[] {
  const problems: string[] = [];
  const draftCalls = calls.filter(({ kind }) => kind === 'draft');
  for (const list of calls) {
    if (list.kind !== 'drafts' || list.outcome !== 'ok') continue;
    const shown = (list.body.drafts as { content: string }[]).map(({ content }) => content);
    const own = draftCalls.filter(({ user }) => user === list.user);
    for (const draft of own) {
      const times = shown.filter((content) => content === draft.op).length;
      if (times > 1) problems.push(`${list.op} shows ${draft.op} ${times} times`);
      if (times === 0 && draft.outcome === 'ok' && draft.endStep < list.startStep)
        problems.push(`${list.op} does not show ${draft.op} (draft), confirmed before`);
      if (times > 0 && (draft.startStep > list.endStep || (draft.outcome === 'refused' && !draft.wasRepeated)))
        problems.push(`${list.op} shows ${draft.op} (draft), which was refused or not yet sent`);
    }
    for (const content of shown) {
      if (!own.some(({ op }) => op === content))
        problems.push(`${list.op} shows ${content}, which is not a draft of the user`);
    }
  }
  return problems;
}

/** The frontend that confirmed a new name shows it. */
function checkNames({ calls }: RunRecord): string[] {
  const problems: string[] = [];
  for (const ownUserCall of calls) {
    if (ownUserCall.kind !== 'me' || ownUserCall.outcome !== 'ok') continue;
    const renames = calls.filter(
      ({ kind, user, startStep }) => kind === 'rename' && user === ownUserCall.user && startStep < ownUserCall.endStep,
    );
    const last = renames
      .filter((one) => one.outcome === 'ok' && isConfirmedBefore(one, ownUserCall))
      .sort((a, b) => b.endStep - a.endStep)[0];
    // Later and unconfirmed renames may have taken effect, too.
    const possibleRenames = renames.filter(
      (one) => one === last || one.outcome !== 'ok' || (last && one.endStep > last.startStep),
    );
    const shown = String(ownUserCall.body.full_name);
    if (!possibleRenames.some(({ op }) => shown.endsWith(` ${op}`)))
      problems.push(`${ownUserCall.op} shows ${shown}, after ${last?.op}`);
  }
  return problems;
}

export const checkOwn = (run: RunRecord): string[] => [...checkDrafts(run), ...checkNames(run)];
