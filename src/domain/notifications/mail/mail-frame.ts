import type { ServerLanguage } from '#domain/texts';

/** Wraps the content of a mail into an HTML document. */
export const wrapInMailHtmlDocument = (body: string, language: ServerLanguage): string =>
  `<!doctype html>\n<html lang="${language}"><head><meta charset="utf-8"></head>\n` +
  `<body style="font-family:system-ui,sans-serif;max-width:40em">\n${body}\n</body></html>\n`;
