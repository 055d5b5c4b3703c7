import type { OptionalChunk, WorkerMessage } from '#request/ports.ts'

/**
 * Asks the worker to cache a chunk for offline use. Without a worker nothing is cached, and nothing fails. On the first visit the message
 * waits until the worker is active.
 */
export function keepOptionalChunk(chunk: OptionalChunk): void {
  const message: WorkerMessage = { type: 'keep', part: chunk }
  void navigator.serviceWorker?.ready.then(({ active }) => active?.postMessage(message))
}
