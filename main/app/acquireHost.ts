import { dialog } from 'electron';
import { explain } from '../../preload/contract/messages.ts';
import type { Ports } from '../engine/core/ports.ts';
import { openEngineHost, type EngineHost } from '../engine/host/host.ts';
import type { EngineEvent } from '../engine/host/events.ts';

/** Opens the data directory. If another program owns it, asks whether to try again; null when the user chose to quit. */
export async function acquireHost(
  dataDirectory: string,
  ports: Ports,
  onEvent: (event: EngineEvent) => void,
): Promise<EngineHost | null> {
  for (;;) {
    const opened = openEngineHost(dataDirectory, ports, onEvent);
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
