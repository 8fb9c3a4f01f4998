import { useState } from 'preact/hooks';
import { t } from '../text/index.js';

export type AvatarPresence = 'active' | 'idle' | 'offline';

interface AvatarProps {
  readonly name: string;
  /** Address of the picture. Initials stand in for none, for one of another host, and for one that fails to load. */
  readonly src?: string | null | undefined;
  /** Chooses the colour of the initials. */
  readonly id?: number;
  /** Width and height in pixels. */
  readonly size?: number;
  readonly presence?: AvatarPresence | undefined;
}

const AVATAR_HUE_COUNT = 12;

/** Address of a picture on this server; undefined for other hosts, which the policy of the page forbids. */
function pickSameOriginPicture(src: string | null | undefined): string | undefined {
  if (!src) return undefined;
  return src.startsWith('blob:') || new URL(src, location.href).origin === location.origin ? src : undefined;
}

/** First letters of the first and the last word. */
function makeInitials(name: string): string {
  const words = name.trim().split(/\s+/);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : words;
  return letters
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase();
}

/** Picture of a person or an organization. It is decoration: the name stands beside it. */
export function Avatar({ name, src, id = 0, size = 32, presence }: AvatarProps) {
  const [broken, setBroken] = useState<string>();
  const picture = pickSameOriginPicture(src);
  return (
    <span class="avatar" data-hue={id % AVATAR_HUE_COUNT} style={{ '--size': `${size}px` }}>
      {picture && broken !== picture ? (
        <img src={picture} alt="" width={size} height={size} loading="lazy" onError={() => setBroken(picture)} />
      ) : (
        <span aria-hidden="true">{makeInitials(name)}</span>
      )}
      {presence && <PresenceDot presence={presence} />}
    </span>
  );
}

/** Dot for active (filled), idle (half), offline (ring): told apart without colour. */
export function PresenceDot({ presence }: { readonly presence: AvatarPresence }) {
  return (
    <span class={`presence ${presence}`}>
      <span class="hidden">{t(`presence.${presence}`)}, </span>
    </span>
  );
}
