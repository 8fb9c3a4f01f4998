import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import { ApiFailure } from '../../core/index.js';
import { Button, Choices, Empty, IconButton, Select, Spinner, TextArea } from '../../kit/index.js';
import { formatAgo, formatDateTime, t } from '../../text/index.js';
import { Failed } from '../parts/failed.js';
import { useFetched } from '../parts/fetched.js';
import { Group } from '../parts/pages.js';
import { isRole, type Role, roleName, roleOptions, rolesToInvite } from '../parts/roles.js';
import { Refusal, useSaving } from '../parts/saving.js';
import { CopyText } from '../parts/secret.js';
import { StreamChecks } from '../parts/stream-checks.js';

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

const DAY = 1_440;
const EXPIRIES = [DAY, 3 * DAY, 10 * DAY, 30 * DAY] as const;
const NEVER = 0;

const list = async (): Promise<readonly Invitation[]> =>
  (await core.api.get('/invites', {})).invites as readonly Invitation[];

/** Addresses that were refused, from the answer of a failed invitation. */
function refused(error: unknown): string {
  if (!(error instanceof ApiFailure)) return '';
  const { errors } = error.fields;
  if (!Array.isArray(errors)) return '';
  return errors.map((one) => (Array.isArray(one) ? `${one[0]}: ${one[1]}` : '')).join('\n');
}

/** Invites by mail or by link; lists, revokes and sends again. */
export function InvitationsPage() {
  const invitations = useFetched(list, ['invites_changed']);
  const saving = useSaving();
  return (
    <>
      <InviteForm onInvited={invitations.again} />
      <Group title={t('settings.open-invitations')}>
        <Refusal saving={saving} />
        {invitations.error ? (
          <Failed of={invitations} />
        ) : !invitations.value ? (
          <Spinner />
        ) : invitations.value.length === 0 ? (
          <Empty icon="direct">{t('settings.no-invitations')}</Empty>
        ) : (
          <ul class="rows invitations">
            {invitations.value.map((one) => (
              <InvitationLine
                key={`${one.is_multiuse} ${one.id}`}
                invitation={one}
                run={(change) => void saving.run(change).then(invitations.again)}
              />
            ))}
          </ul>
        )}
      </Group>
    </>
  );
}

interface LineProps {
  readonly invitation: Invitation;
  readonly run: (change: () => Promise<unknown>) => void;
}

function InvitationLine({ invitation, run }: LineProps) {
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
          {roleName(invited_as)} · {core.state.people.nameOf(invited_by_user_id)}, {formatAgo(invited * 1000)} ·{' '}
          {expiry_date === null
            ? t('settings.never-expires')
            : t('settings.expires', { time: formatDateTime(expiry_date * 1000) })}
        </span>
        {link_url && <CopyText text={link_url} label={t('settings.invite-link')} />}
      </span>
      {!is_multiuse && (
        <IconButton
          icon="refresh"
          label={t('settings.resend-to', { name })}
          onClick={() => run(() => core.api.post('/invites/{prereg_id}/resend', { prereg_id: id }))}
        />
      )}
      <IconButton icon="trash" label={t('settings.revoke', { name })} onClick={() => run(revoke)} />
    </li>
  );
}

function InviteForm({ onInvited }: { readonly onInvited: () => void }) {
  const { me, realm } = core.state;
  const [how, setHow] = useState<'mail' | 'link'>('mail');
  const [emails, setEmails] = useState('');
  const [role, setRole] = useState<Role>(400);
  const [minutes, setMinutes] = useState<number>(10 * DAY);
  const [streams, setStreams] = useState<readonly number[]>(() =>
    (realm.value.realm_default_streams ?? []).map(({ stream_id }) => stream_id),
  );
  const [link, setLink] = useState<string>();
  const [details, setDetails] = useState('');
  const [sent, setSent] = useState(false);
  const saving = useSaving();
  const submit = async (event: Event) => {
    event.preventDefault();
    setLink(undefined);
    setDetails('');
    setSent(false);
    const common = {
      invite_as: role,
      stream_ids: streams,
      invite_expires_in_minutes: minutes === NEVER ? null : minutes,
    };
    const done = await saving.run(async () => {
      if (how === 'link') {
        setLink(String((await core.api.post('/invites/multiuse', common)).invite_link));
        return;
      }
      try {
        await core.api.post('/invites', { ...common, invitee_emails: emails });
        setEmails('');
        setSent(true);
      } catch (error) {
        setDetails(refused(error));
        throw error;
      }
    });
    if (done) onInvited();
  };
  return (
    <form class="settings-form" onSubmit={(event) => void submit(event)}>
      {me.isAdmin && (
        <Choices
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
        options={roleOptions(rolesToInvite())}
        onChange={(value) => isRole(value) && setRole(value)}
      />
      <Select
        label={t('settings.invite-expiry')}
        value={minutes}
        options={[
          ...EXPIRIES.map((value) => ({ value, label: t('settings.days', { n: value / DAY }) })),
          { value: NEVER, label: t('settings.never') },
        ]}
        onChange={setMinutes}
      />
      <StreamChecks label={t('settings.invite-streams')} chosen={streams} onChange={setStreams} />
      <Refusal saving={saving} />
      {details && <p class="field-error details">{details}</p>}
      <p class="settings-buttons">
        <Button kind="primary" type="submit" busy={saving.busy}>
          {t(how === 'mail' ? 'settings.invite' : 'settings.make-link')}
        </Button>
        <span role="status">{sent && t('settings.invited')}</span>
      </p>
      {link && <CopyText text={link} label={t('settings.invite-link')} />}
    </form>
  );
}
