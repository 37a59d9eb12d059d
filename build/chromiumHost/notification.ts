/** `Notification`: recorded instead of shown. */
import { HostEmitter } from './notOnHost.ts';
import { records } from './records.ts';

/** A message to the person at the computer. */
export class Notification extends HostEmitter {
  title: string;
  body: string;

  constructor(options: Readonly<Record<string, unknown>> = {}) {
    super();
    const text = (name: string): string => String(options[name] ?? '');
    this.title = text('title');
    this.body = text('body');
  }

  static isSupported = (): boolean => true;

  show = (): void => void records.notifications.push(this);
}
