import { core } from '../../client/index.js';
import type { CustomProfileField } from '../../contract/index.js';
import type { Person } from '../../core/index.js';
import { formatCalendarDay, formatDate, formatTimeInZone, t } from '../../text/index.js';
import { PROFILE_FIELD_TYPE, parseProfileFieldData, parseProfileFieldOptions } from '../parts/profile-fields.js';
import { formatRoleName } from '../parts/roles.js';

/** The time where a person lives; undefined if the zone is unknown. */
function findTimeInZone(zone: string | undefined): string | undefined {
  if (!zone) return undefined;
  try {
    return formatTimeInZone(core.platform.now(), zone);
  } catch {
    // A zone that this browser does not know.
    return undefined;
  }
}

const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text);

function LinkIfWebAddress({ address, text }: { readonly address: string; readonly text: string }) {
  if (!isWebAddress(address)) return <>{text}</>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  );
}

/** The value of one of the organization's fields, as its type says. */
function ProfileFieldValue({ field, value }: { readonly field: CustomProfileField; readonly value: string }) {
  const { people, realm } = core.state;
  switch (field.type) {
    case PROFILE_FIELD_TYPE.choice:
      return <>{parseProfileFieldOptions(field).find(({ key }) => key === value)?.text ?? value}</>;
    case PROFILE_FIELD_TYPE.date:
      return <>{formatCalendarDay(value)}</>;
    case PROFILE_FIELD_TYPE.link:
      return <LinkIfWebAddress address={value} text={value} />;
    case PROFILE_FIELD_TYPE.people:
      return <>{(JSON.parse(value) as readonly number[]).map((id) => people.getFullName(id)).join(', ')}</>;
    case PROFILE_FIELD_TYPE.account: {
      const { subtype, url_pattern } = parseProfileFieldData(field);
      const known = realm.value.realm_default_external_accounts?.[String(subtype)]?.url_pattern;
      const pattern = String(url_pattern ?? known ?? '');
      return <LinkIfWebAddress address={pattern.replace('%(username)s', encodeURIComponent(value))} text={value} />;
    }
    default:
      return <>{value}</>;
  }
}

/** The known facts about a person: role, address, time, fields. */
export function PersonFacts({ person }: { readonly person: Person }) {
  const { people, realm } = core.state;
  const { is_bot, bot_owner_id, role, delivery_email, timezone, date_joined, profile_data = {} } = person;
  const time = findTimeInZone(timezone);
  const fields = (realm.value.custom_profile_fields ?? []).filter(({ id }) => profile_data[String(id)]?.value);
  const facts: readonly (readonly [string, string | undefined])[] = [
    [t('settings.role'), is_bot ? t('settings.role.bot') : formatRoleName(role)],
    [t('settings.bot-owner'), bot_owner_id ? people.getFullName(bot_owner_id) : undefined],
    [t('common.email'), delivery_email ?? undefined],
    [t('settings.local-time'), time],
    [t('settings.joined'), date_joined ? formatDate(Date.parse(date_joined)) : undefined],
  ];
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
      {fields.map((field) => (
        <div key={field.id}>
          <dt>{field.name}</dt>
          <dd>
            <ProfileFieldValue field={field} value={profile_data[String(field.id)]?.value ?? ''} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
