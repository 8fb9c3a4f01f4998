import type { ComponentChild } from 'preact';
import { core } from '../../client/index.js';
import { Icon, type IconName, isPhoneLayout } from '../../kit/index.js';
import { LATER_ICONS } from '../../kit-later/index.js';
import { t } from '../../text/index.js';

export interface SettingsPage {
  /** Part of the address. */
  readonly id: string;
  readonly label: string;
  readonly icon: IconName;
  readonly renderContent: () => ComponentChild;
}

interface SettingsPagesProps {
  readonly view: 'settings' | 'organization';
  readonly label: string;
  readonly pages: readonly SettingsPage[];
  /** First part of the address. */
  readonly currentPageId: string | undefined;
}

/** A list of pages beside the current one. On a phone, the list first and then the page alone. */
export function SettingsPages({ view, label, pages, currentPageId }: SettingsPagesProps) {
  const phone = isPhoneLayout();
  const current = pages.find(({ id }) => id === currentPageId) ?? (phone ? undefined : pages[0]);
  const showsList = !phone || !current;
  return (
    <div class="settings">
      {showsList && (
        <nav class="settings-nav" aria-label={label}>
          <ul>
            {pages.map(({ id, label: name, icon }) => (
              <li key={id}>
                <a
                  href={core.router.formatHash({ view, parts: [id] })}
                  aria-current={id === current?.id ? 'page' : undefined}
                >
                  <Icon name={icon} />
                  <span>{name}</span>
                  {phone && <Icon name="chevron-right" />}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {current && (
        <div class="settings-page" key={current.id}>
          <div class="settings-content">
            {phone && <BackToListLink hash={core.router.formatHash({ view, parts: [] })} label={label} />}
            <h2>{current.label}</h2>
            {current.renderContent()}
          </div>
        </div>
      )}
    </div>
  );
}

/** The way back to a list, on a phone. */
export function BackToListLink({ hash, label }: { readonly hash: string; readonly label: string }) {
  return (
    <a class="settings-back" href={hash} aria-label={t('settings.back-to', { name: label })}>
      <Icon name={LATER_ICONS.chevronLeft} />
      {label}
    </a>
  );
}

interface SettingsGroupProps {
  readonly title: string;
  readonly hint?: ComponentChild;
  readonly children: ComponentChild;
}

/** A part of a page with its heading. */
export function SettingsGroup({ title, hint, children }: SettingsGroupProps) {
  return (
    <div class="settings-group">
      <div class="settings-group-head">
        <h3>{title}</h3>
      </div>
      {hint && <p class="field-hint">{hint}</p>}
      {children}
    </div>
  );
}
