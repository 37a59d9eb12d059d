/** Lint rules of our own, for Oxlint: each reports every match of one of its selectors. */

/** The part of Oxlint's plugin interface that is used here. */
interface RuleContext {
  report(finding: { readonly node: unknown; readonly message: string }): void;
}

/** A rule, from ESTree selectors and what to do instead of what they match. */
function forbidden(messages: Readonly<Record<string, string>>) {
  const create = (context: RuleContext) =>
    Object.fromEntries(
      Object.entries(messages).map(([selector, message]) => [
        selector,
        (node: unknown) => {
          context.report({ node, message });
        },
      ]),
    );
  return { create };
}

const TIME = 'Take the time from the Clock port.';

export default {
  meta: { name: 'house' },
  rules: {
    /** Only ports (main/engine/core/ports.ts) touch the real clock and real randomness. */
    'time-from-ports': forbidden({
      "CallExpression[callee.object.name='Date'][callee.property.name='now']": TIME,
      "CallExpression[callee.object.name='performance'][callee.property.name='now']": TIME,
      "NewExpression[callee.name='Date'][arguments.length=0]": TIME,
      'CallExpression[callee.name=/^(setTimeout|setInterval)$/]': TIME,
      "ImportDeclaration[source.value='node:timers/promises']": TIME,
      "CallExpression[callee.object.name='Math'][callee.property.name='random']":
        'Take randomness from the Random port.',
    }),
    'no-blocking-calls': forbidden({
      'CallExpression:matches([callee.name=/Sync$/], [callee.property.name=/Sync$/])':
        'Blocking calls stop every lane and the window; use the promise version.',
    }),
    'no-awaited-ready': forbidden({
      "Program > * > AwaitExpression[argument.callee.property.name='whenReady']":
        'A top-level await of app.whenReady() never returns in Electron; use .then().',
    }),
    'every-test-runs': forbidden({
      'CallExpression > MemberExpression.callee[object.name=/^(it|test|describe)$/][property.name=/^(only|skip|todo|fixme|fails)$/]':
        'Every test runs, every time.',
    }),
  },
};
