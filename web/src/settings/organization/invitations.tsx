import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import { ApiFailure } from '../../core/index.js';
import { Button, EmptyNotice, IconButton, Spinner } from '../../kit/index.js';
import { LATER_ICONS, RadioGroup, Select, TextArea } from '../../kit-later/index.js';
import { formatFullDateTime, formatRelativeTime, t, translateRefusal } from '../../text/index.js';
import { FetchFailedNotice } from '../parts/failed.js';
import { useFetchedValue } from '../parts/fetched.js';
import { SettingsGroup } from '../parts/pages.js';
import { formatRoleName, isRole, listInvitableRoles, makeRoleOptions, type Role } from '../parts/roles.js';
import { SavingError, useSavingState } from '../parts/saving.js';
import { CopyableText } from '../parts/secret.js';
import { StreamCheckboxes } from '../parts/stream-checks.js';

interface Invitation {
  readonly id: number;
  readonly email?: string;
  readonly link_url?: string;
  readonly invited_by_user_id: number;
  /** Seconds since 1970. */
  readonly invited: number;
  readonly expiry_date: number | null;
  readonly invited_as: number;
  readonly is_multiuse: boolean;
}

const MINUTES_PER_DAY = 1_440;
const EXPIRY_CHOICES_MINUTES = [
  MINUTES_PER_DAY,
  3 * MINUTES_PER_DAY,
  10 * MINUTES_PER_DAY,
  30 * MINUTES_PER_DAY,
] as const;
const NEVER_EXPIRES_OPTION_VALUE = 0;

const fetchInvitations = async (): Promise<readonly Invitation[]> =>
  (await core.api.get('/invites', {})).invites as readonly Invitation[];

/** Addresses that were refused, from the answer of a failed invitation. */
function formatRefusedAddresses(error: unknown): string {
  if (!(error instanceof ApiFailure)) return '';
  const { errors } = error.fields;
  if (!Array.isArray(errors)) return '';
  return errors.map((one) => (Array.isArray(one) ? `${one[0]}: ${translateRefusal(String(one[1]))}` : '')).join('\n');
}

/** Invites by mail or by link; lists, revokes and sends again. */
export function InvitationsPage() {
  const invitations = useFetchedValue(fetchInvitations, ['invites_changed']);
  const saving = useSavingState();
  return (
    <>
      <NewInvitationForm onInvited={invitations.refetch} />
      <SettingsGroup title={t('settings.open-invitations')}>
        <SavingError saving={saving} />
        {invitations.error ? (
          <FetchFailedNotice of={invitations} />
        ) : !invitations.value ? (
          <Spinner />
        ) : invitations.value.length === 0 ? (
          <EmptyNotice icon="direct">{t('settings.no-invitations')}</EmptyNotice>
        ) : (
          <ul class="rows invitations">
            {invitations.value.map((one) => (
              <InvitationLine
                key={`${one.is_multiuse} ${one.id}`}
                invitation={one}
                saveChange={(change) => void saving.runChange(change).then(invitations.refetch)}
              />
            ))}
          </ul>
        )}
      </SettingsGroup>
    </>
  );
}

interface InvitationLineProps {
  readonly invitation: Invitation;
  readonly saveChange: (change: () => Promise<unknown>) => void;
}

function InvitationLine({ invitation, saveChange }: InvitationLineProps) {
  const { id, email, link_url, invited_by_user_id, invited, expiry_date, invited_as, is_multiuse } = invitation;
  const name = email ?? t('settings.invite-link');
  const revoke = () =>
    is_multiuse
      ? core.api.delete('/invites/multiuse/{invite_id}', { invite_id: id })
      : core.api.delete('/invites/{prereg_id}', { prereg_id: id });
  return (
    <li class="row-line">
      <span class="row-text">
        {name}
        <span class="field-hint">
          {formatRoleName(invited_as)} · {core.state.people.getFullName(invited_by_user_id)},{' '}
          {formatRelativeTime(invited * 1000)} ·{' '}
          {expiry_date === null
            ? t('settings.never-expires')
            : t('settings.expires', { time: formatFullDateTime(expiry_date * 1000) })}
        </span>
        {link_url && <CopyableText text={link_url} label={t('settings.invite-link')} />}
      </span>
      {!is_multiuse && (
        <IconButton
          icon={LATER_ICONS.refresh}
          label={t('settings.resend-to', { name })}
          onClick={() => saveChange(() => core.api.post('/invites/{prereg_id}/resend', { prereg_id: id }))}
        />
      )}
      <IconButton icon={LATER_ICONS.trash} label={t('settings.revoke', { name })} onClick={() => saveChange(revoke)} />
    </li>
  );
}

function NewInvitationForm({ onInvited }: { readonly onInvited: () => void }) {
  const { me, realm } = core.state;
  const [how, setHow] = useState<'mail' | 'link'>('mail');
  const [emails, setEmails] = useState('');
  const [role, setRole] = useState<Role>(400);
  const [minutes, setMinutes] = useState<number>(10 * MINUTES_PER_DAY);
  const [streams, setStreams] = useState<readonly number[]>(() =>
    (realm.value.realm_default_streams ?? []).map(({ stream_id }) => stream_id),
  );
  const [link, setLink] = useState<string>();
  const [details, setDetails] = useState('');
  const [sent, setSent] = useState(false);
  const saving = useSavingState();
  const submit = async (event: Event) => {
    event.preventDefault();
    setLink(undefined);
    setDetails('');
    setSent(false);
    const common = {
      invite_as: role,
      stream_ids: streams,
      invite_expires_in_minutes: minutes === NEVER_EXPIRES_OPTION_VALUE ? null : minutes,
    };
    const done = await saving.runChange(async () => {
      if (how === 'link') {
        setLink(String((await core.api.post('/invites/multiuse', common)).invite_link));
        return;
      }
      try {
        await core.api.post('/invites', { ...common, invitee_emails: emails });
        setEmails('');
        setSent(true);
      } catch (error) {
        setDetails(formatRefusedAddresses(error));
        throw error;
      }
    });
    if (done) onInvited();
  };
  return (
    <form class="settings-form" onSubmit={(event) => void submit(event)}>
      {me.isAdmin && (
        <RadioGroup
          label={t('settings.invite-how')}
          value={how}
          options={[
            { value: 'mail', label: t('settings.invite-mail') },
            { value: 'link', label: t('settings.invite-by-link') },
          ]}
          onChange={setHow}
        />
      )}
      {how === 'mail' && (
        <TextArea label={t('settings.emails')} hint={t('settings.emails-hint')} value={emails} onInput={setEmails} />
      )}
      <Select
        label={t('settings.invite-as')}
        value={role}
        options={makeRoleOptions(listInvitableRoles())}
        onChange={(value) => isRole(value) && setRole(value)}
      />
      <Select
        label={t('settings.invite-expiry')}
        value={minutes}
        options={[
          ...EXPIRY_CHOICES_MINUTES.map((value) => ({
            value,
            label: t('settings.days', { n: value / MINUTES_PER_DAY }),
          })),
          { value: NEVER_EXPIRES_OPTION_VALUE, label: t('settings.never') },
        ]}
        onChange={setMinutes}
      />
      <StreamCheckboxes label={t('settings.invite-streams')} chosenIds={streams} onChange={setStreams} />
      <SavingError saving={saving} />
      {details && <p class="field-error details">{details}</p>}
      <p class="settings-buttons">
        <Button kind="primary" type="submit" busy={saving.busy}>
          {t(how === 'mail' ? 'settings.invite' : 'settings.make-link')}
        </Button>
        <span role="status">{sent && t('settings.invited')}</span>
      </p>
      {link && <CopyableText text={link} label={t('settings.invite-link')} />}
    </form>
  );
}
