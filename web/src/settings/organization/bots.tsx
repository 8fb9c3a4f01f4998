import { useEffect, useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import type { Bot } from '../../contract/index.js';
import { Avatar, Button, EmptyNotice } from '../../kit/index.js';
import { confirm, LATER_ICONS, MenuButton } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { SettingsGroup } from '../parts/pages.js';
import { SavingError, type SavingState, useSavingState } from '../parts/saving.js';
import { CopyableText } from '../parts/secret.js';
import { BOT_TYPE, BOT_TYPE_OPTIONS, CreateBotDialog, EditBotDialog } from './bot-dialogs.js';

/** Types of bots that the organization's policy lets the reader create. */
function listCreatableBotTypes() {
  const { me, realm } = core.state;
  const policy = realm.value.realm_bot_creation_policy ?? 1;
  if (me.isAdmin || policy === 1) return BOT_TYPE_OPTIONS;
  return policy === 2 ? BOT_TYPE_OPTIONS.filter(({ value }) => value !== BOT_TYPE.generic) : [];
}

/** Own bots, and for administrators all bots. */
export function BotsPage() {
  const [creating, setCreating] = useState(false);
  const [shown, setShown] = useState<number>();
  const [editing, setEditing] = useState<number>();
  const saving = useSavingState();
  const bots = core.state.realm.value.realm_bots ?? [];
  const active = bots.filter(({ is_active }) => is_active);
  const ended = bots.filter(({ is_active }) => !is_active);
  const edited = active.find(({ user_id }) => user_id === editing);
  const types = listCreatableBotTypes();
  return (
    <>
      {types.length > 0 && (
        <p>
          <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
            {t('settings.create-bot')}
          </Button>
        </p>
      )}
      <SavingError saving={saving} />
      {bots.length === 0 && <EmptyNotice icon="bot">{t('settings.no-bots')}</EmptyNotice>}
      <ul class="rows">
        {active.map((bot) => (
          <BotLine
            key={bot.user_id}
            bot={bot}
            saving={saving}
            showsKey={shown === bot.user_id}
            onEdit={() => setEditing(bot.user_id)}
            onToggleApiKey={() => setShown(shown === bot.user_id ? undefined : bot.user_id)}
          />
        ))}
      </ul>
      {ended.length > 0 && (
        <SettingsGroup title={t('settings.people-deactivated')}>
          <ul class="rows">
            {ended.map(({ user_id, full_name, email }) => (
              <li key={user_id} class="row-line">
                <span class="row-text">
                  {full_name}
                  <span class="field-hint">{email}</span>
                </span>
                <Button
                  onClick={() => void saving.runChange(() => core.api.post('/users/{user_id}/reactivate', { user_id }))}
                >
                  {t('settings.reactivate')}
                </Button>
              </li>
            ))}
          </ul>
        </SettingsGroup>
      )}
      {creating && (
        <CreateBotDialog creatableTypes={types} onClose={() => setCreating(false)} onBotCreated={setShown} />
      )}
      {edited && <EditBotDialog bot={edited} onClose={() => setEditing(undefined)} />}
    </>
  );
}

interface BotLineProps {
  readonly bot: Bot;
  readonly saving: SavingState;
  readonly showsKey: boolean;
  readonly onEdit: () => void;
  readonly onToggleApiKey: () => void;
}

function BotLine({ bot, saving, showsKey, onEdit, onToggleApiKey }: BotLineProps) {
  const { user_id, full_name, email, avatar_url, bot_type, owner_id } = bot;
  const type = BOT_TYPE_OPTIONS.find(({ value }) => value === bot_type);
  const regenerate = async () => {
    const text = t('settings.new-bot-key-question', { name: full_name });
    if (!(await confirm({ title: t('settings.new-key'), text, confirmLabel: t('settings.new-key'), danger: true })))
      return;
    await saving.runChange(() => core.api.post('/bots/{bot_id}/api_key/regenerate', { bot_id: user_id }));
  };
  const end = async () => {
    const title = t('settings.deactivate-name', { name: full_name });
    const action = t('settings.deactivate-account');
    if (!(await confirm({ title, text: t('settings.deactivate-bot'), confirmLabel: action, danger: true }))) return;
    await saving.runChange(() => core.api.delete('/bots/{bot_id}', { bot_id: user_id }));
  };
  return (
    <li class="row-line">
      <Avatar name={full_name} src={avatar_url} id={user_id} size={32} />
      <span class="row-text">
        {full_name}
        <span class="field-hint">
          {[type?.label(), email, owner_id && core.state.people.getFullName(owner_id)].filter(Boolean).join(' · ')}
        </span>
        {showsKey && <BotApiKey bot={bot} />}
      </span>
      <MenuButton
        label={t('settings.actions-for', { name: full_name })}
        align="end"
        items={() => [
          { label: t('settings.edit-bot'), icon: 'edit', run: onEdit },
          { label: t(showsKey ? 'settings.hide-key' : 'settings.show-key'), icon: 'lock', run: onToggleApiKey },
          { label: t('settings.new-key'), icon: LATER_ICONS.refresh, run: () => void regenerate() },
          'line',
          { label: t('settings.deactivate-account'), icon: LATER_ICONS.trash, danger: true, run: () => void end() },
        ]}
      />
    </li>
  );
}

/**
 * The API key of a bot, fetched to be shown and kept by this component only: the state of the client has no keys. It is
 * fetched again when the bot changes, because a manager may have made a new key.
 */
function BotApiKey({ bot }: { readonly bot: Bot }) {
  const { user_id, full_name, email } = bot;
  const [key, setKey] = useState<string>();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let isCurrent = true;
    const show = (found: string | undefined) => {
      if (!isCurrent) return;
      setKey(found);
      setFailed(found === undefined);
    };
    core.api
      .callOutsideApi<{ readonly api_key: string }>('GET', `/web/bots/${user_id}/api_key`)
      .then(({ api_key }) => show(api_key))
      .catch(() => show(undefined));
    return () => {
      isCurrent = false;
    };
  }, [bot]);
  if (failed) return <span class="field-hint">{t('settings.key-not-shown')}</span>;
  if (key === undefined) return null;
  const zuliprc = `[api]\nemail=${email}\nkey=${key}\nsite=${location.origin}\n`;
  return (
    <>
      <CopyableText text={key} label={t('settings.key-of', { name: full_name })} />
      <a href={`data:text/plain;charset=utf-8,${encodeURIComponent(zuliprc)}`} download="zuliprc">
        {t('settings.download-zuliprc')}
      </a>
    </>
  );
}
