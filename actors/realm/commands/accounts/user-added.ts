/** What everybody is told of a new account; its real address goes to those who may see it (users.md § User object). */
import type { JsonObject } from '#base';
import { addressRole, NO_PROFILE, presentUser, ROLE, systemGroupsOf } from '#domain/people';
import type { Audience, LogItem, RealmSettings } from '#model';
import type { DirectoryUser } from '#model/records';
import { tellReplicas } from '../../tell-replicas.js';
import { tellEverybody } from '../personal/personal.js';

/** As many for any number of others. */
export function userAdded(user: DirectoryUser, settings: RealmSettings, now: number, version: number): LogItem[] {
  const person = presentUser(user, user, { clientGravatar: false, profile: NO_PROFILE });
  const tell = (to: Audience, shown: JsonObject): LogItem => ({
    t: 'event',
    to: { ...to, rv: version },
    event: { type: 'realm_user', op: 'add', person: shown },
  });
  const seeing = addressRole(user);
  const rest = { role: ROLE.guest, weakerThan: seeing };
  return [
    tellReplicas({ user }),
    ...(seeing > 0 ? [tell({ role: seeing }, person)] : []),
    ...(seeing < ROLE.guest ? [tell(rest, { ...person, delivery_email: null })] : []),
    ...systemGroupsOf(user, settings, now).map((group_id) =>
      tellEverybody(version, { type: 'user_group', op: 'add_members', group_id, user_ids: [user.id] }),
    ),
  ];
}
