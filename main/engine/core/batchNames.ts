/** Ids derived from a requested batch id, kept within the 64 characters that the service accepts. Pure. */

const MAX_ID = 64;

function withEnding(baseId: string, ending: string): string {
  return baseId.slice(0, MAX_ID - ending.length) + ending;
}

/** The id of a generation: ID, ID-2, ID-3. */
export function generationId(baseId: string, generation: number): string {
  return generation === 1 ? baseId : withEnding(baseId, `-${generation}`);
}

/** The id for the videos of a source whose images go to ID. */
export function videosId(baseId: string): string {
  return withEnding(baseId, '-videos');
}

/** The id for images that are found after ID was filled with videos. */
export function imagesId(baseId: string): string {
  return withEnding(baseId, '-images');
}

/** Every id that the files of one source may go to: all of these belong to a command that fills ID. */
export function sourceIds(baseId: string): readonly string[] {
  return [baseId, videosId(baseId), imagesId(baseId)];
}
