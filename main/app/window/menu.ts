/** The application menu, with keyboard shortcuts for every view. */
import { Menu, type MenuItemConstructorOptions } from 'electron';
import type { AppContext } from '../appContext.ts';

type MenuContext = Pick<AppContext, 'host' | 'window' | 'development'>;

const VIEWS = [
  ['Uploads', 'uploads'],
  ['Batches', 'batches'],
  ['Jobs', 'jobs'],
  ['Projects', 'projects'],
  ['Problems', 'problems'],
] as const;

function template({ host, window, development }: MenuContext): MenuItemConstructorOptions[] {
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
        { label: 'Pause uploads', click: () => host.setPaused(true) },
        { label: 'Resume uploads', click: () => host.setPaused(false) },
        { label: 'Scan for new files', accelerator: 'F5', click: () => host.rescan() },
        { type: 'separator' },
        {
          label: 'Settings',
          accelerator: 'CmdOrCtrl+,',
          click: () => window.navigate('settings'),
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
          click: () => window.navigate(to),
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

export function setMenu(context: MenuContext): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(template(context)));
}
