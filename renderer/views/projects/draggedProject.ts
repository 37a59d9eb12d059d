/** A project that is dragged through the tree. */

const KIND = 'application/x-sluice-project';

/** The project's id travels with the drag. */
export function beginDrag(event: DragEvent, projectId: string): void {
  event.dataTransfer?.setData(KIND, projectId);
}

/** Whether a project is dragged here, and nothing from outside; its id can be read only when it is dropped. */
export function holdsProject(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes(KIND) === true;
}

/** The id of the project that was dropped; null for anything else. */
export function droppedProject(event: DragEvent): string | null {
  const projectId = event.dataTransfer?.getData(KIND) ?? '';
  return projectId === '' ? null : projectId;
}
