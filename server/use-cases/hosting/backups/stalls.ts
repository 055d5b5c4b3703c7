/** Work that moves bytes is given up where none have moved for long: nobody would ever end it. */
import { StoreError } from '#server/drivers/backup-store/driver.ts'

/** ms. */
export const stallMs = { limit: 600_000 }

export interface Watched {
  /** Something moved. */
  beat(): void
  /** Rejects with StoreError `unreachable` where nothing did; what it waited for is left to itself. */
  watch<T>(work: Promise<T>): Promise<T>
}

export function watchStalls(): Watched {
  let last = performance.now()
  return {
    beat: () => void (last = performance.now()),
    async watch(work) {
      let timer: NodeJS.Timeout | undefined
      const stalled = new Promise<never>((_, failed) => {
        const { limit } = stallMs
        timer = setInterval(() => {
          if (performance.now() - last > limit) failed(new StoreError('unreachable', 'Nothing moves any more.'))
        }, limit / 10)
      })
      // What it comes to after that is nobody's.
      work.catch(() => undefined)
      try {
        return await Promise.race([work, stalled])
      } finally {
        clearInterval(timer)
      }
    },
  }
}
