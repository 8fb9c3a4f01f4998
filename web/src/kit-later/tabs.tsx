import type { ComponentChildren } from 'preact';
import { moveFocusByArrowKey, useUniqueId } from '../kit/index.js';

interface TabsProps<Id extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly id: Id; readonly label: string }[];
  readonly current: Id;
  readonly onChange: (id: Id) => void;
  /** The panel of the current tab. */
  readonly children: ComponentChildren;
}

/** Tabs with their panel. Arrows move among them and choose at once. */
export function Tabs<Id extends string>({ label, tabs, current, onChange, children }: TabsProps<Id>) {
  const id = useUniqueId();
  return (
    <div class="tabs">
      <div
        role="tablist"
        class="tab-list"
        aria-label={label}
        onKeyDown={(event) => {
          const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')];
          if (moveFocusByArrowKey(event, all, true)) (document.activeElement as HTMLElement).click();
        }}
      >
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            aria-selected={tab.id === current}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === current ? 0 : -1}
            onClick={() => onChange(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} class="tab-panel" aria-labelledby={`${id}-${current}`}>
        {children}
      </div>
    </div>
  );
}
