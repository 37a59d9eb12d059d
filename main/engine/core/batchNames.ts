/** Ids that come from a batch id that was asked for, kept within the 64 characters the service takes. Pure. */

const MAX_ID = 64;

function withEnding(baseId: string, ending: string): string {
  return baseId.slice(0, MAX_ID - ending.length) + ending;
}

/** The id of a generation: ID, ID-2, ID-3. */
export function generationId(baseId: string, generation: number): string {
  return generation === 1 ? baseId : withEnding(baseId, `-${generation}`);
}

/** The id beside ID for the videos of a source that also brings images. */
export function videosId(baseId: string): string {
  return withEnding(baseId, '-videos');
}

/** The id beside ID for images that come later than the videos ID already holds. */
export function imagesId(baseId: string): string {
  return withEnding(baseId, '-images');
}

/** Every id that the files of one source may go to: what a command that fills ID has to send. */
export function sourceIds(baseId: string): readonly string[] {
  return [baseId, videosId(baseId), imagesId(baseId)];
}
