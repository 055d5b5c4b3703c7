import type { OptionalChunk, WorkerMessage } from '#request/ports.ts'

/** The first visit's worker is being made yet; where there is none, nothing is kept and nothing is missed. */
export function keepOptionalChunk(chunk: OptionalChunk): void {
  const message: WorkerMessage = { type: 'keep', part: chunk }
  void navigator.serviceWorker?.ready.then(({ active }) => active?.postMessage(message))
}
