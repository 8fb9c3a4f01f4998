import t from 'tap';
import { composeNewDeviceLoginMail } from '#domain/notifications';
import type { ServerLanguage } from '#domain/texts';

const timeOfMail = (time: number, twentyFourHour: boolean, language: ServerLanguage = 'en'): string | undefined =>
  /^(?:Time|Zeit): (.*)$/m.exec(
    composeNewDeviceLoginMail({
      device: 'Firefox on Linux',
      time,
      organization: 'Organization',
      origin: 'https://chat.example.com',
      receiver: { fullName: 'Zoe', timezone: '', twentyFourHour, language },
      email: 'zoe@example.com',
      unsubscribe: 'https://chat.example.com/unsubscribe/x',
    }).text,
  )?.[1];

t.test('the hours around noon and midnight are those of a clock', async (t) => {
  const [midnight, noon] = [Date.UTC(2026, 10, 30, 0, 30), Date.UTC(2026, 10, 30, 12, 30)];
  t.equal(timeOfMail(midnight, false), '30 Nov 2026, 12:30 am UTC');
  t.equal(timeOfMail(noon, false), '30 Nov 2026, 12:30 pm UTC');
  t.equal(timeOfMail(midnight, true), '30 Nov 2026, 00:30 UTC');
  t.equal(timeOfMail(noon, true), '30 Nov 2026, 12:30 UTC');
  t.equal(timeOfMail(noon, true, 'de'), '30.11.2026, 12:30 UTC');
});
