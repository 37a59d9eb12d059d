/** The application menu, with keyboard shortcuts for every view. */
import { Menu, type MenuItemConstructorOptions } from 'electron';

export interface MenuActions {
  navigate(to: string): void;
  pause(paused: boolean): void;
  rescan(): void;
}

const VIEWS = [
  ['Uploads', 'uploads'],
  ['Batches', 'batches'],
  ['Jobs', 'jobs'],
  ['Projects', 'projects'],
  ['Problems', 'problems'],
] as const;

function template(actions: MenuActions, development: boolean): MenuItemConstructorOptions[] {
  const mac = process.platform === 'darwin';
  const appMenu: MenuItemConstructorOptions[] = mac ? [{ role: 'appMenu' }] : [];
  const reload: MenuItemConstructorOptions[] = development
    ? [{ type: 'separator' }, { role: 'reload' }, { role: 'toggleDevTools' }]
    : [];
  return [
    ...appMenu,
    {
      label: '&File',
      submenu: [
        { label: 'Pause uploads', click: () => actions.pause(true) },
        { label: 'Resume uploads', click: () => actions.pause(false) },
        { label: 'Scan for new files', accelerator: 'F5', click: () => actions.rescan() },
        { type: 'separator' },
        {
          label: 'Settings',
          accelerator: 'CmdOrCtrl+,',
          click: () => actions.navigate('settings'),
        },
        { type: 'separator' },
        mac ? { role: 'close' } : { role: 'quit' },
      ],
    },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        ...VIEWS.map(([label, to], index) => ({
          label,
          accelerator: `CmdOrCtrl+${index + 1}`,
          click: () => actions.navigate(to),
        })),
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'togglefullscreen' },
        ...reload,
      ],
    },
    { role: 'windowMenu' },
  ];
}

export function setMenu(actions: MenuActions, development: boolean): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(template(actions, development)));
}
