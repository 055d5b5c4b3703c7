import type { OptionalChunk, WorkerMessage } from '#request/ports.ts'

/** On the first visit the worker is still being installed. Without a worker nothing is cached, and nothing else fails. */
export function keepOptionalChunk(chunk: OptionalChunk): void {
  const message: WorkerMessage = { type: 'keep', part: chunk }
  void navigator.serviceWorker?.ready.then(({ active }) => active?.postMessage(message))
}
