import { useState } from 'preact/hooks';
import { Button } from '../../kit/index.js';
import { LATER_ICONS } from '../../kit-later/index.js';
import { t } from '../../text/index.js';

/** A text to copy: a key, a link. */
export function CopyableText({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <div class="copy-text">
      <input class="input" readOnly value={text} aria-label={label} onFocus={(event) => event.currentTarget.select()} />
      <Button icon={copied ? 'check' : LATER_ICONS.copy} onClick={() => void copy().catch(() => setCopied(false))}>
        {t(copied ? 'messages.copied' : 'messages.copy')}
      </Button>
    </div>
  );
}
