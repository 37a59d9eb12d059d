export interface ControlProps {
  readonly id?: string | undefined;
  /** For screen readers, when no label is shown next to it. */
  readonly label?: string | undefined;
  /** The id of the label, for elements that a label element cannot name. */
  readonly labelledBy?: string | undefined;
  readonly describedBy?: string | undefined;
  readonly invalid?: boolean;
  readonly disabled?: boolean;
}

export interface FieldWords {
  readonly label: string;
  readonly hint?: string | null | undefined;
  /** What is wrong with it; replaces the hint. */
  readonly error?: string | null | undefined;
  /** Label and control side by side, as in a list of settings. */
  readonly row?: boolean | undefined;
}

export function controlAttributes({ id, label, describedBy, invalid, disabled }: ControlProps): {
  readonly id: string | undefined;
  readonly disabled: boolean;
  readonly 'aria-label': string | undefined;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
} {
  return {
    id,
    disabled: disabled === true,
    'aria-label': label,
    'aria-describedby': describedBy,
    'aria-invalid': invalid === true ? true : undefined,
  };
}
