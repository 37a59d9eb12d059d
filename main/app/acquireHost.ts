/** Taking the data directory for the window. */
import { dialog } from 'electron';
import { explain } from '../../preload/contract/messages.ts';
import type { Ports } from '../engine/core/ports.ts';
import { openStation, type Station } from '../engine/host/host.ts';
import type { StationNews } from '../engine/host/events.ts';

/** Takes the data directory; asks to try again while another program has it. null: the person gave it up. */
export async function takeStation(
  dataDirectory: string,
  ports: Ports,
  tell: (news: StationNews) => void,
): Promise<Station | null> {
  for (;;) {
    const opened = openStation(dataDirectory, ports, tell);
    if (opened.ok) return opened.value;
    const { message, hint } = explain(opened.error);
    const answer = await dialog.showMessageBox({
      type: 'error',
      message,
      detail: hint,
      buttons: ['Try again', 'Quit'],
      defaultId: 0,
      cancelId: 1,
    });
    if (answer.response !== 0) return null;
  }
}
