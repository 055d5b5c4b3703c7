/** Web Locks as the request pipeline wants them: never waited for without end, and a lock taken from us ends nothing. */
import type { LockPort } from '#request/ports.ts'
import { createLockHolders, type LockHolders } from '#request/transport/lock-holders.ts'

interface LockRequester {
  request<T>(name: string, options: LockOptions, action: (lock: unknown) => Promise<T>): Promise<T>
}

/** A free lock is had long before; the holder is then given as much time to answer. Who sends may meet two such locks, one after the other. */
const frozenAfterMs = { wait: 1_000, answer: 1_000 }

/** `wait` measures the patience; the names are shared by everything of one origin. */
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
    // A patience of nothing would run out before the browser gives even a free lock.
    const isImmediate = waitMs === 0
    if (!steal && !isImmediate) void wait(waitMs).then(() => pendingAction === null && abortController.abort())
    try {
      // Where there is one it is asked in this very turn: who asks first is first.
      const lockManager = lockRequester instanceof Promise ? await lockRequester : lockRequester
      return await lockManager.request(
        name,
        steal ? { steal } : isImmediate ? { ifAvailable: true } : { signal: abortController.signal },
        runUnderLock,
      )
    } catch (error) {
      // Stolen while we worked: the work goes on, and what it may still record is decided by its fence.
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
