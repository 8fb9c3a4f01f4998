/** users.md § User object: the time zone is shown by its canonical name. */
import t from 'tap';
import { canonicalizeTimeZone } from '../../../src/model/settings/time-zones.js';

t.test('older names become present ones', async (test) => {
  const names: [given: string, canonical: string][] = [
    ['', ''],
    ['US/Pacific', 'America/Los_Angeles'],
    ['PRC', 'Asia/Shanghai'],
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
    ['Europe/Uzhgorod', 'Europe/Kyiv'],
    ['US/East-Indiana', 'America/Indiana/Indianapolis'],
    ['UTC', 'Etc/UTC'],
    ['Etc/Zulu', 'Etc/UTC'],
    ['GMT', 'Etc/GMT'],
    ['Etc/GMT-0', 'Etc/GMT'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
    ['EST', 'EST'],
    ['CET', 'CET'],
  ];
  for (const [given, canonical] of names) test.equal(canonicalizeTimeZone(given), canonical, given);
});

t.test('a canonical name is unchanged, and is the same zone', async (test) => {
  const date = new Date('2024-07-01T12:00:00Z');
  const shown = (timeZone: string): string => date.toLocaleString('en', { timeZone });
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const canonical = canonicalizeTimeZone(zone);
    if (canonicalizeTimeZone(canonical) !== canonical || shown(canonical) !== shown(zone)) test.fail(zone);
  }
  test.pass('all of them');
});
