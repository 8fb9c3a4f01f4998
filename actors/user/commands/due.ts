/** The time for which this actor wanted to be woken has come. */

import { value } from '#actors/shared';
import type { userCommands } from '#model/commands';
import type { UserCommand } from '../command.js';
import { nextWake, withParts } from '../due.js';
import { sweepFiles } from './files/files.js';
import { deliverDue } from './later/delivery.js';

export const due: UserCommand<typeof userCommands.due> = {
  handle({ parts }, _args, _inputs, context) {
    const delivery = deliverDue(parts, context);
    const sweep = sweepFiles(parts, context);
    const changed = { ...delivery.parts, ...sweep.parts };
    return {
      reply: value(null),
      parts: changed,
      events: delivery.events,
      commands: [[...delivery.commands.flat(), ...sweep.commands]],
      due: nextWake(withParts(parts, changed)),
    };
  },
};
