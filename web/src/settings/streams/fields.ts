/** Choices about a stream, for creating and editing. */
import { core } from '../../client/index.js';
import { type TextKey, t } from '../../text/index.js';
import type { SettingControl, SettingOption } from '../parts/rows.js';
import type { StreamKind } from './rights.js';
import { listRemoverGroups } from './rights.js';

export const MAX_STREAM_NAME_LENGTH = 60;
export const MAX_STREAM_DESCRIPTION_LENGTH = 1_024;

const LABEL_KEY_BY_SYSTEM_GROUP: Readonly<Record<string, TextKey>> = {
  '@role:administrators': 'settings.by.admins',
  '@role:moderators': 'settings.by.moderators',
  '@role:fullmembers': 'settings.by.full-members',
  '@role:members': 'settings.by.members',
  '@role:everyone': 'settings.by.everyone',
};

export const makeStreamKindOption = (kind: StreamKind): { value: StreamKind; label: string; hint: string } => ({
  value: kind,
  label: t(`settings.kind.${kind}`),
  hint: t(`settings.kind.${kind}-hint`),
});

export const POST_POLICY_CONTROL: SettingControl = {
  kind: 'choice',
  options: [
    { value: 1, label: () => t('settings.by.everyone') },
    { value: 3, label: () => t('settings.by.full-members') },
    { value: 4, label: () => t('settings.by.moderators') },
    { value: 2, label: () => t('settings.by.admins') },
  ],
};

export const isStreamPostPolicy = (value: unknown): value is 1 | 2 | 3 | 4 =>
  value === 1 || value === 2 || value === 3 || value === 4;

const RETENTION_CHOICES_DAYS = [7, 30, 90, 180, 365, 730] as const;

/** `realm_default`, `unlimited`, or days. */
export const makeRetentionOptions = (): readonly SettingOption[] => [
  { value: 'realm_default', label: () => t('settings.retention-default') },
  ...RETENTION_CHOICES_DAYS.map((n) => ({ value: n, label: () => t('settings.days', { n }) })),
  { value: 'unlimited', label: () => t('settings.no-limit') },
];

/** Value of the field `message_retention_days` as the parameter takes it. */
export const encodeRetentionParameter = (days: number | null): string | number =>
  days === null ? 'realm_default' : days === -1 ? 'unlimited' : days;

export const makeRemoverGroupOptions = (): readonly SettingOption[] =>
  listRemoverGroups().map(({ id, name }) => ({
    value: id,
    label: () => t((LABEL_KEY_BY_SYSTEM_GROUP[name] ?? 'settings.by.admins') as 'settings.by.admins'),
  }));

export const findDefaultRemoverGroupId = (): number =>
  [...core.state.people.groupById.value.values()].find(({ name }) => name === '@role:administrators')?.id ?? 0;
