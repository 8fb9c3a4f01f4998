/** Choices about a stream, for creating and editing. */
import { core } from '../../client/index.js';
import { type Key, t } from '../../text/index.js';
import type { Control, Option } from '../parts/rows.js';
import type { StreamKind } from './rights.js';
import { groupsForRemoval } from './rights.js';

export const MAX_STREAM_NAME = 60;
export const MAX_DESCRIPTION = 1_024;

const GROUP_NAMES: Readonly<Record<string, Key>> = {
  '@role:administrators': 'settings.by.admins',
  '@role:moderators': 'settings.by.moderators',
  '@role:fullmembers': 'settings.by.full-members',
  '@role:members': 'settings.by.members',
  '@role:everyone': 'settings.by.everyone',
};

export const kindOption = (kind: StreamKind): { value: StreamKind; label: string; hint: string } => ({
  value: kind,
  label: t(`settings.kind.${kind}`),
  hint: t(`settings.kind.${kind}-hint`),
});

export const POST_POLICY: Control = {
  kind: 'choice',
  options: [
    { value: 1, label: () => t('settings.by.everyone') },
    { value: 3, label: () => t('settings.by.full-members') },
    { value: 4, label: () => t('settings.by.moderators') },
    { value: 2, label: () => t('settings.by.admins') },
  ],
};

export const isPostPolicy = (value: unknown): value is 1 | 2 | 3 | 4 =>
  value === 1 || value === 2 || value === 3 || value === 4;

const DAYS = [7, 30, 90, 180, 365, 730] as const;

/** `realm_default`, `unlimited`, or days. */
export const retentionOptions = (): readonly Option[] => [
  { value: 'realm_default', label: () => t('settings.retention-default') },
  ...DAYS.map((n) => ({ value: n, label: () => t('settings.days', { n }) })),
  { value: 'unlimited', label: () => t('settings.no-limit') },
];

/** Value of the field `message_retention_days` as the parameter takes it. */
export const retentionValue = (days: number | null): string | number =>
  days === null ? 'realm_default' : days === -1 ? 'unlimited' : days;

export const removalOptions = (): readonly Option[] =>
  groupsForRemoval().map(({ id, name }) => ({
    value: id,
    label: () => t((GROUP_NAMES[name] ?? 'settings.by.admins') as 'settings.by.admins'),
  }));

export const defaultRemovalGroup = (): number =>
  [...core.state.people.groups.value.values()].find(({ name }) => name === '@role:administrators')?.id ?? 0;
