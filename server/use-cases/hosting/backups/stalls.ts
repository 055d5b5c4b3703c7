/** Work that moves bytes is given up where none have moved for long: nobody would ever end it. */
import { StoreError } from '#server/drivers/backup-store/backup-store.ts'

/** ms. */
export const stallMs = { limit: 600_000 }

export interface StallWatch {
  /** Something moved. */
  beat(): void
  /** Rejects with StoreError `unreachable` where nothing did; what it waited for is left to itself. */
  watch<T>(work: Promise<T>): Promise<T>
}

export function watchStalls(): StallWatch {
  let lastBeatAt = performance.now()
  return {
    beat: () => void (lastBeatAt = performance.now()),
    async watch(work) {
      let timer: NodeJS.Timeout | undefined
      const stallError = new Promise<never>((_, reject) => {
        const { limit } = stallMs
        timer = setInterval(() => {
          if (performance.now() - lastBeatAt > limit) reject(new StoreError('unreachable', 'Nothing moves any more.'))
        }, limit / 10)
      })
      // What it comes to after that is nobody's.
      work.catch(() => undefined)
      try {
        return await Promise.race([work, stallError])
      } finally {
        clearInterval(timer)
      }
    },
  }
}
