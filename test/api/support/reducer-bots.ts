/** The reducer's part for the bots that the user manages. */
import type { State } from './reducer.js';
import type { ApiEvent, Fields } from './types.js';

interface Bot extends Fields {
  readonly user_id: number;
}

/** @returns undefined for events of other parts. */
export function applyToBots(state: State, event: ApiEvent): State | undefined {
  if (event.type !== 'realm_bot') return undefined;
  const bots = state.realm_bots as readonly Bot[];
  const { user_id, ...fields } = event.bot as Bot;
  const known = bots.find((bot) => bot.user_id === user_id);
  const put = (realm_bots: readonly Bot[]): State => ({ ...state, realm_bots });
  if (event.op === 'add') {
    if (known?.is_active === true) throw new Error('the bot was known already');
    const others = bots.filter((bot) => bot !== known);
    return put([...others, event.bot as Bot].sort((a, b) => a.user_id - b.user_id));
  }
  if (!known) throw new Error(`bot ${user_id} was not known`);
  if (event.op === 'delete') return put(bots.filter((bot) => bot !== known));
  const changed = event.op === 'remove' ? { is_active: false } : fields;
  return put(bots.map((bot) => (bot === known ? { ...bot, ...changed } : bot)));
}
