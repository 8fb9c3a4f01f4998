/** Phases of an organization: an event is the name of a command; a command without a transition is refused. */
import { setup } from 'xstate';
import { realmActorCommands } from '#model/commands';
import { type ActorPhaseEvent, STAY_IN_PHASE_TRANSITION } from '#runtime';

/** Commands that frontends send for people who are not signed in. No user sends them, but the system doesn't either. */
const COMMANDS_OF_STRANGERS = [
  realmActorCommands.peekInvitation,
  realmActorCommands.join,
  realmActorCommands.peekSignUp,
  realmActorCommands.askSignUp,
  realmActorCommands.signUp,
  realmActorCommands.askPasswordReset,
  realmActorCommands.peekPasswordReset,
  realmActorCommands.resetPassword,
  realmActorCommands.confirmEmail,
  realmActorCommands.signInExternally,
  realmActorCommands.startSessionByLink,
  realmActorCommands.peekSignInLink,
];

export const realmStateMachine = setup({
  types: { events: {} as ActorPhaseEvent },
  actions: { take: () => {} },
  guards: { bySystem: ({ event }) => event.bySystem },
}).createMachine({
  id: 'realm',
  initial: 'active',
  states: {
    active: {
      on: { deactivate: 'deactivated', [realmActorCommands.deleteRealm]: {}, '*': STAY_IN_PHASE_TRANSITION },
    },
    /** Commands of users are refused. Commands of the system still run: other actors need message ids, for example. */
    deactivated: {
      on: {
        reactivate: 'active',
        [realmActorCommands.deleteRealm]: { target: 'deleted', guard: 'bySystem' },
        ...Object.fromEntries(COMMANDS_OF_STRANGERS.map((name) => [name, {}])),
        '*': { ...STAY_IN_PHASE_TRANSITION, guard: 'bySystem' },
      },
    },
    /** Commands of the system are refused, too: an actor that needs a message id writes nothing more. */
    deleted: { on: { [realmActorCommands.deleteRealm]: STAY_IN_PHASE_TRANSITION } },
  },
});
