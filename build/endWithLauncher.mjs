/**
 * Loaded before a program that the launcher starts in another Node: ends the program when the launcher is gone, however it ended. What
 * was killed would otherwise continue, and block the ledger for the next start.
 */
process.once('disconnect', () => process.exit(1));
// Waiting for that must not keep the program running.
process.channel?.unref();
