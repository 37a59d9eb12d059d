/** What fields of several parts share: the group is named as a whole, and each part in it. */
import type { Attachment } from 'svelte/attachments';
import type { ControlProps } from './controlProps.ts';

const PART_NAMES: Readonly<Record<string, string>> = {
  hour: 'Hours',
  minute: 'Minutes',
  year: 'Year',
  month: 'Month',
  day: 'Day',
};

/** The attributes of the group; in place of the library's, which describe it in the words of another clock. */
export function groupAttributes({ id, label, labelledBy, describedBy }: ControlProps): {
  readonly id: string | undefined;
  readonly 'aria-label': string | undefined;
  readonly 'aria-labelledby': string | undefined;
  readonly 'aria-describedby': string | undefined;
} {
  return {
    id,
    'aria-label': label,
    'aria-labelledby': label === undefined ? labelledBy : undefined,
    'aria-describedby': describedBy,
  };
}

/** The attributes of a part; what stands between two parts has no name. */
export function partAttributes(
  part: string,
  { invalid }: ControlProps,
): Readonly<Record<string, string | undefined>> {
  const name = PART_NAMES[part];
  if (name === undefined) return {};
  return {
    'aria-label': name,
    'aria-labelledby': undefined,
    'aria-describedby': undefined,
    'aria-invalid': invalid === true ? 'true' : undefined,
  };
}

/** A click on the label goes to the first part. A label element does that for inputs only. */
export function focusedByLabel(labelId: string | undefined): Attachment<HTMLElement> {
  return (group) => {
    const label = labelId === undefined ? null : document.getElementById(labelId);
    const focus = (): void => group.querySelector<HTMLElement>('[role=spinbutton]')?.focus();
    label?.addEventListener('click', focus);
    return () => label?.removeEventListener('click', focus);
  };
}

/** The text that is pasted. The parts are editable elements: by itself, it would be written into one of them as it is. */
export function pastedText(event: ClipboardEvent): string {
  event.preventDefault();
  return event.clipboardData?.getData('text/plain').trim() ?? '';
}

/** True for an event that comes from, or goes to, the outside of the group. */
export function crossesBorder({ currentTarget, relatedTarget }: FocusEvent): boolean {
  const inside = relatedTarget instanceof Node && currentTarget instanceof Node;
  return !(inside && currentTarget.contains(relatedTarget));
}
