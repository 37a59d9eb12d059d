/** `Notification`: recorded instead of shown. */
import { HostEmitter } from './notOnHost.ts';
import { records } from './records.ts';

/** A message to the person at the computer. */
export class Notification extends HostEmitter {
  title: string;
  subtitle: string;
  body: string;
  silent: boolean;
  urgency: string;
  timeoutType: string;

  constructor(options: Readonly<Record<string, unknown>> = {}) {
    super();
    const text = (name: string, other: string): string => String(options[name] ?? other);
    this.title = text('title', '');
    this.subtitle = text('subtitle', '');
    this.body = text('body', '');
    this.silent = options['silent'] === true;
    this.urgency = text('urgency', 'normal');
    this.timeoutType = text('timeoutType', 'default');
  }

  static isSupported = (): boolean => true;

  show = (): void => {
    records.notifications.push(this);
    this.emit('show', {});
  };
  close = (): void => void this.emit('close', {});
}
