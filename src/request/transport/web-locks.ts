/** Provides Web Locks with limited waits. A stolen lock does not abort the work of its holder. */
import type { LockPort } from '#request/ports.ts'
import { createLockHolders, type LockHolders } from '#request/transport/lock-holders.ts'

interface LockRequester {
  request<T>(name: string, options: LockOptions, action: (lock: unknown) => Promise<T>): Promise<T>
}

/**
 * Maximum wait for a lock (a free one is granted much earlier), and then for a response of its holder, in ms. They are short, because a
 * sender may have to wait for two such locks.
 */
const frozenAfterMs = { wait: 1_000, answer: 1_000 }

/** Creates the lock port. `wait` is the timer of its limits. All contexts of one origin share the names of the locks. */
export function createWebLocks(
  lockRequester: LockRequester | Promise<LockRequester>,
  wait: (ms: number) => Promise<void>,
  { runWhileHolding, isHolderAwake }: LockHolders = createLockHolders('portal-locks'),
): LockPort {
  const hold: LockPort['hold'] = async (name, { waitMs, shouldSteal: steal }, action) => {
    let pendingAction: ReturnType<typeof action> | null = null
    const runUnderLock = async (lock: unknown) =>
      lock === null ? null : { value: await runWhileHolding(name, () => (pendingAction = action())) }
    const abortController = new AbortController()
    // A timeout of 0 would abort before the browser grants even a free lock.
    const isImmediate = waitMs === 0
    if (!steal && !isImmediate) void wait(waitMs).then(() => pendingAction === null && abortController.abort())
    try {
      // If the lock manager exists, it is called in this turn, so that the order of calls is kept.
      const lockManager = lockRequester instanceof Promise ? await lockRequester : lockRequester
      return await lockManager.request(
        name,
        steal ? { steal } : isImmediate ? { ifAvailable: true } : { signal: abortController.signal },
        runUnderLock,
      )
    } catch (error) {
      // The lock was stolen during the work. The work continues, and its fence decides what it may still record.
      if (pendingAction) return { value: await (pendingAction as ReturnType<typeof action>) }
      if (abortController.signal.aborted) return null
      throw error
    }
  }
  return {
    async hold(name, options, action) {
      if (!options.shouldTakeFromFrozen) return await hold(name, options, action)
      const firstResult = await hold(name, { waitMs: frozenAfterMs.wait }, action)
      if (firstResult) return firstResult
      if (await isHolderAwake(name, wait(frozenAfterMs.answer)))
        return await hold(name, { waitMs: options.waitMs - frozenAfterMs.wait }, action)
      return await hold(name, { waitMs: 0, shouldSteal: true }, action)
    },
  }
}
