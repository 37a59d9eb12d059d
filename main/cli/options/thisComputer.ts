/** The commands about this computer: pauses, settings, workspaces, checks, completion. */
import type { CommandSpec, Options } from './types.ts';

const GROUP = 'This computer';

export const ORDERS = ['oldest', 'newest', 'smallest'] as const;
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

function pausing(about: string, of: string, example: string): CommandSpec {
  const options: Options = { batch: { value: 'ID', about: of, standard: 'everything' } };
  return { group: GROUP, about, options, examples: [example] };
}

export const pause = pausing(
  'start nothing new; what is being sent is finished',
  'pause one batch',
  'sluice pause --batch cups',
);

export const resume = pausing('continue after a pause', 'resume one batch', 'sluice resume');

export const settings: CommandSpec = {
  group: GROUP,
  about:
    'show or change bandwidth, lanes, order and webhook; a running Sluice follows within seconds',
  options: {
    bandwidth: {
      value: 'LIMIT',
      about:
        'limit such as 2M (bytes per second), a timetable such as "08:00,2M 18:00,off", or off',
      standard: 'unchanged, first off',
    },
    lanes: {
      value: 'N',
      about: 'maximum number of uploads at the same time, 1 to 64',
      standard: 'unchanged, first 16',
    },
    order: {
      value: 'ORDER',
      about: 'which files go first: oldest, newest or smallest',
      choices: ORDERS,
      standard: 'unchanged, first oldest',
    },
    webhook: {
      value: 'PORT|off',
      about: 'listen on this port for messages of the service; 0 takes any free port',
      standard: 'unchanged, first off',
    },
    'webhook-bind': {
      value: 'ADDRESS',
      about: 'address of this computer to listen on',
      standard: 'unchanged, first 127.0.0.1',
    },
    'webhook-url': {
      value: 'URL',
      about: 'address at which the service reaches this computer',
      standard: 'unchanged, first none',
    },
  },
  details:
    'With the webhook the service notifies a watch of changes; without it Sluice asks regularly.',
  examples: ['sluice settings', 'sluice settings --bandwidth "08:00,2M 18:00,off" --lanes 8'],
};

export const connections: CommandSpec = {
  group: GROUP,
  about: 'show the workspaces that this ledger has worked with; needs no key',
  examples: ['sluice connections list'],
  subcommands: {
    list: {
      about: 'list the workspaces with counts; choose one with --workspace',
      examples: ['sluice connections list'],
    },
  },
};

export const doctor: CommandSpec = {
  group: GROUP,
  refusesWords: true,
  about: 'check address, key, workspace, clock, disk space, limits and data folder',
  details: 'It changes nothing, and says what to do about each problem it finds.',
  examples: ['sluice doctor'],
};

export const completion: CommandSpec = {
  group: GROUP,
  operands: SHELLS.join('|'),
  operandChoices: SHELLS,
  about: 'print the script that completes commands and options in your shell',
  details:
    'bash: put eval "$(sluice completion bash)" into ~/.bashrc. zsh: put eval "$(sluice completion zsh)" into ~/.zshrc. fish: put sluice completion fish | source into ~/.config/fish/config.fish.',
  examples: ['eval "$(sluice completion bash)"'],
};
