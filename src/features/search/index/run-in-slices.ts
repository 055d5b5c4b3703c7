import { pause } from '#features/search/pause.ts'

/** Longest time in ms that work may block the page: half of a frame. */
const sliceMs = 8

/**
 * Runs a generator to its end and calls `onResult`, immediately if it takes less than a slice. Otherwise it pauses after each slice.
 * Returns a function that cancels the rest.
 */
export function runInSlices<T>(work: Generator<void, T>, onResult: (result: T) => void): () => void {
  let isCancelled = false
  const runSlice = () => {
    if (isCancelled) return
    const startedAt = performance.now()
    for (;;) {
      const step = work.next()
      if (step.done) return onResult(step.value)
      if (performance.now() - startedAt >= sliceMs) break
    }
    void pause().then(runSlice)
  }
  runSlice()
  return () => {
    isCancelled = true
  }
}
