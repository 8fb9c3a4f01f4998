/** System user groups: fixed in every realm, one chain, each a subgroup of the next (users.md § User groups). */
export const SYSTEM_GROUP = {
  owners: 1,
  administrators: 2,
  moderators: 3,
  fullmembers: 4,
  members: 5,
  everyone: 6,
  internet: 7,
  nobody: 8,
} as const;

export const SYSTEM_GROUP_NAMES: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(SYSTEM_GROUP).map(([name, id]) => [id, `@role:${name}`]),
);
