/** Work that moves bytes is given up where none have moved for long: nobody would ever end it. */
import { StoreError } from '#server/drivers/backup-store/backup-store.ts'

/** ms. */
export const stallMs = { limit: 600_000 }

export interface StallWatch {
  /** Something moved. */
  reportActivity(): void
  /** Rejects with StoreError `unreachable` where nothing did; what it waited for is left to itself. */
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
            reject(new StoreError('unreachable', 'Nothing moves any more.'))
        }, limit / 10)
      })
      // What it comes to after that is nobody's.
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
