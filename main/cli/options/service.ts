import type { CommandSpec } from './types.ts';

export const service: CommandSpec = {
  group: 'This computer',
  about: 'keep the watches of your user account running in the background',
  examples: ['sluice service install --api-key-file /home/me/sluice.key'],
  subcommands: {
    install: {
      about: 'start sluice watch run now, and each time you log in',
      details:
        'It becomes a systemd user unit on Linux, a launch agent on macOS, a scheduled task on Windows, with the data folder, addresses, workspace and key file that are given here. The key must be in a file: a service does not have your environment. The same command again changes it.',
      examples: ['sluice service install --api-key-file /home/me/sluice.key'],
    },
    status: {
      about: 'show whether the service is installed and running',
      examples: ['sluice service status'],
    },
    uninstall: {
      about: 'stop the service and remove it; the ledger and the watches stay',
      examples: ['sluice service uninstall'],
    },
  },
};
