/** Ranges of settings and rules. No imports: the schemas use them, and the window checks fields against them. */

/** How long a file must be unchanged before it is uploaded, in ms. */
export const SETTLE_MS = { min: 1000, standard: 5_000, max: 300_000 } as const;

/** How many simultaneous transfers a person can allow. */
export const LANES = { min: 1, max: 64 } as const;

export const MAX_PORT = 65_535;

/** When a batch of a watch closes: minutes without a new file, or files in it. */
export const SEAL_QUIET_MINUTES = { min: 0.01, max: 10_080 } as const;
export const SEAL_ITEMS = { min: 1, max: 10_000_000 } as const;

/** What the template of a batch id may have in braces, and how it is found there. */
export const PLACEHOLDER = /\{([a-z]+)\}/g;
export const PLACEHOLDERS: readonly string[] = ['watch', 'host', 'date', 'folder', 'n'];

/** Files per value of {n} in a batch template. */
export const ITEMS_PER_BATCH = { min: 1, max: 1_000_000 } as const;

/** How many machines may share the files of one source. Our choice: more than any cluster that one batch can take in. */
export const PARTS_MAX = 100_000;

/** The lowest bandwidth cap, in bytes per second; anything slower should be a pause. Our choice. */
export const MIN_CAP_BYTES_PER_SECOND = 1000;

export const WATCH_NAME_MAX = 100;
