/** Web Locks as the request pipeline wants them: never waited for without end, and a lock taken from us ends nothing. */
import type { Locks } from '#request/ports.ts'
import { createLockHolders, type LockHolders } from '#request/transport/lock-holders.ts'

interface Manager {
  request<T>(name: string, options: LockOptions, act: (lock: unknown) => Promise<T>): Promise<T>
}

/** A free lock is had long before; the holder is then given as much time to answer. Who sends may meet two such locks, one after the other. */
const frozenAfterMs = { wait: 1_000, answer: 1_000 }

/** `wait` measures the patience; the names are shared by everything of one origin. */
export function webLocks(
  manager: Manager | Promise<Manager>,
  wait: (ms: number) => Promise<void>,
  { whileHeld, isHolderAwake }: LockHolders = createLockHolders('portal-locks'),
): Locks {
  const hold: Locks['hold'] = async (name, { waitMs, steal }, act) => {
    let running: ReturnType<typeof act> | null = null
    const run = async (lock: unknown) =>
      lock === null ? null : { value: await whileHeld(name, () => (running = act())) }
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
  }
  return {
    async hold(name, how, act) {
      if (!how.takeFromFrozen) return await hold(name, how, act)
      const soon = await hold(name, { waitMs: frozenAfterMs.wait }, act)
      if (soon) return soon
      if (await isHolderAwake(name, wait(frozenAfterMs.answer)))
        return await hold(name, { waitMs: how.waitMs - frozenAfterMs.wait }, act)
      return await hold(name, { waitMs: 0, steal: true }, act)
    },
  }
}
