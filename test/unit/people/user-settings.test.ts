/** users.md § Settings. */
import t from 'tap';
import { SETTING_NAMES, settingFrom, USER_SETTINGS } from '#domain/people';
import { person } from '../../support/person.js';

t.test('a setting that nobody chose has its default; facts of the account are its own', async (t) => {
  for (const name of SETTING_NAMES) t.equal(settingFrom(person(8), {}, name), USER_SETTINGS[name].default, name);
  const user = person(8, { timezone: 'Asia/Tokyo', emailVisibility: 4 });
  const chosen = { dense_mode: false, timezone: 'Europe/Berlin', email_address_visibility: 2 };
  t.equal(settingFrom(user, chosen, 'dense_mode'), false);
  t.equal(settingFrom(user, chosen, 'timezone'), 'Asia/Tokyo');
  t.equal(settingFrom(user, chosen, 'email_address_visibility'), 4);
});

t.test('there are 43 settings, of the classes that the API names', async (t) => {
  const of = (is: string) => SETTING_NAMES.filter((name) => USER_SETTINGS[name].is === is).length;
  t.same([of('D'), of('N'), of('M')], [15, 20, 8]);
});
