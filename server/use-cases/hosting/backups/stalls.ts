/** Ends a transfer in which no bytes have moved for a long time. Otherwise it might never end. */
import { StoreError } from '#server/drivers/file-store/store-error.ts'

export const stallMs = { limit: 600_000 }

export interface StallWatch {
  reportActivity(): void
  /** Returns the result of the promise. Rejects with StoreError `unreachable` after the limit. The promise itself is not cancelled. */
  watch<T>(promise: Promise<T>): Promise<T>
}

export function watchStalls(): StallWatch {
  let lastActivityAt = performance.now()
  return {
    reportActivity: () => void (lastActivityAt = performance.now()),
    async watch(promise) {
      let timer: NodeJS.Timeout | undefined
      const stallError = new Promise<never>((_, reject) => {
        const { limit } = stallMs
        timer = setInterval(() => {
          if (performance.now() - lastActivityAt > limit)
            reject(new StoreError('unreachable', 'The transfer has stopped.'))
        }, limit / 10)
      })
      // A later rejection is ignored.
      promise.catch(() => undefined)
      try {
        return await Promise.race([promise, stallError])
      } finally {
        clearInterval(timer)
      }
    },
  }
}

export async function* withActivityReports<T>(
  pieces: AsyncIterable<T>,
  { reportActivity }: StallWatch,
): AsyncGenerator<T> {
  for await (const piece of pieces) {
    reportActivity()
    yield piece
    reportActivity()
  }
}
