/** Loads the readings of Chinese names for the index. Loading may fail or hang without a connection, and must not stop the indexing. */
import { loadPinyin } from '#features/search/matching/pinyin.ts'

/** Longest time in ms that indexing waits for the readings. */
const maxWaitMs = 2_000

export interface ReadingsOptions {
  /** Called once when the readings are available. */
  onLoaded: () => void
  load?: () => Promise<boolean>
  waitMs?: number
}

/** After a failure, loads again when the connection is back. */
export function createReadings({ onLoaded, load = loadPinyin, waitMs = maxWaitMs }: ReadingsOptions) {
  let isLoaded = false
  let isStopped = false
  /** Resolves when the readings are available, loading them failed, or the wait is over. Set by the first Chinese name. */
  let firstWait: Promise<void> | null = null

  async function tryLoad() {
    const isAvailable = await load()
    if (!isAvailable || isLoaded || isStopped) return
    isLoaded = true
    stop()
    onLoaded()
  }
  const retry = () => void tryLoad()
  const stop = () => globalThis.removeEventListener?.('online', retry)

  return {
    isLoaded: () => isLoaded,
    /** Waits for the readings, in total at most `waitMs` for all rows. */
    wait(): Promise<void> {
      if (firstWait) return firstWait
      if (!isStopped) globalThis.addEventListener?.('online', retry)
      let timer: ReturnType<typeof setTimeout> | undefined
      const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, waitMs)))
      firstWait = Promise.race([tryLoad(), timeout]).finally(() => clearTimeout(timer))
      return firstWait
    },
    stop() {
      isStopped = true
      stop()
    },
  }
}

export type Readings = ReturnType<typeof createReadings>
