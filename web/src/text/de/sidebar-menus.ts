import type { TextCatalog } from '../catalogue.js';
import type { sidebarMenuTexts as source } from '../en/sidebar-menus.js';

export const sidebarMenuTexts: TextCatalog<typeof source> = {
  'sidebar.stream-menu': 'Aktionen zu {name}',
  'sidebar.mark-read': 'Alles als gelesen markieren',
  'sidebar.pin': 'Anheften',
  'sidebar.unpin': 'Nicht mehr anheften',
  'sidebar.mute-stream': 'Stummschalten',
  'sidebar.unmute-stream': 'Stummschaltung aufheben',
  'sidebar.copy-link': 'Link kopieren',
  'sidebar.stream-settings': 'Einstellungen des Streams',
  'sidebar.leave': 'Abbestellen',
  'sidebar.leave-question': 'Nachrichten aus {name} erreichen dich dann nicht mehr.',
};
