/** Texts of the menus of the sidebar; part of the lazy texts. */
export const sidebarMenuTexts = {
  'sidebar.stream-menu': 'Actions on {name}',
  'sidebar.mark-read': 'Mark all as read',
  'sidebar.pin': 'Pin',
  'sidebar.unpin': 'Unpin',
  'sidebar.mute-stream': 'Mute',
  'sidebar.unmute-stream': 'Unmute',
  'sidebar.copy-link': 'Copy link',
  'sidebar.stream-settings': 'Settings of the stream',
  'sidebar.leave': 'Unsubscribe',
  'sidebar.leave-question': 'Messages of {name} no longer reach you.',
} as const;
