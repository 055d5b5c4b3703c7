/** Web Locks as the request pipeline wants them: never waited for without end, and a lock taken from us ends nothing. */
import type { Locks } from '#request/ports.ts'

interface Manager {
  request<T>(name: string, options: LockOptions, act: (lock: unknown) => Promise<T>): Promise<T>
}

/** `wait` measures the patience; the names are shared by everything of one origin. */
export function webLocks(manager: Manager | Promise<Manager>, wait: (ms: number) => Promise<void>): Locks {
  return {
    async hold(name, { waitMs, steal }, act) {
      let running: ReturnType<typeof act> | null = null
      const run = async (lock: unknown) => (lock === null ? null : { value: await (running = act()) })
      const giveUp = new AbortController()
      // A patience of nothing would run out before the browser gives even a free lock.
      const atOnce = waitMs === 0
      if (!steal && !atOnce) void wait(waitMs).then(() => running === null && giveUp.abort())
      try {
        // Where there is one it is asked in this very turn: who asks first is first.
        const asked = manager instanceof Promise ? await manager : manager
        return await asked.request(
          name,
          steal ? { steal } : atOnce ? { ifAvailable: true } : { signal: giveUp.signal },
          run,
        )
      } catch (error) {
        // Stolen while we worked: the work goes on, and what it may still record is decided by its fence.
        if (running) return { value: await (running as ReturnType<typeof act>) }
        if (giveUp.signal.aborted) return null
        throw error
      }
    },
  }
}
