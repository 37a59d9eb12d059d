/** A refusal of the service: the status and words of its answer. Thrown by operations, answered as `{"error": words}`. */
export class Refusal extends Error {
  readonly status: number;
  constructor(status: number, words: string) {
    super(words);
    this.name = 'Refusal';
    this.status = status;
  }
}

/** The client closed the connection before its request was complete: no answer, no effect. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection');
    this.name = 'ClientGone';
  }
}
