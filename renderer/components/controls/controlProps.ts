/** What every control of a form can be told, and how the page says it. */

/** How a control is named and described. */
export interface ControlProps {
  readonly id?: string | undefined;
  /** Spoken, where no label stands beside it. */
  readonly label?: string | undefined;
  /** The id of the label, for what no label element can name. */
  readonly labelledBy?: string | undefined;
  readonly describedBy?: string | undefined;
  readonly invalid?: boolean;
  readonly disabled?: boolean;
}

/** What stands around a control in a form. */
export interface FieldWords {
  readonly label: string;
  /** What it means; a sentence. */
  readonly hint?: string | null | undefined;
  /** What is wrong with it; takes the place of the hint. */
  readonly error?: string | null | undefined;
  /** Label and control beside each other, as in a list of settings. */
  readonly row?: boolean | undefined;
}

/** The attributes of the element. */
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
