/** Simulates the Web Locks of one browser, as far as the request pipeline uses them. If a holder dies, its locks are released. */
import type { KillableProcess } from '#tests/outbox-model/disk.ts'

type RequestLock = LockManager['request']

export interface KillableLocks {
  createManager(process: KillableProcess): { request: RequestLock }
  /** Releases all locks of dead processes, and deletes their waiting requests. */
  release(): void
  /** Returns the names of locks that are held or waited for. */
  listLocks(): string[]
}

interface LockClaim {
  process: KillableProcess
  run: () => void
  loseLock: () => void
}

export function createLocks(): KillableLocks {
  const holders = new Map<string, LockClaim>()
  const queues = new Map<string, LockClaim[]>()
  const getQueue = (name: string) => queues.get(name) ?? queues.set(name, []).get(name) ?? []

  function grant(name: string): void {
    if (holders.has(name)) return
    const next = getQueue(name).shift()
    if (!next) return
    holders.set(name, next)
    next.run()
  }

  function releaseClaim(name: string, claim: LockClaim): void {
    if (holders.get(name) === claim) holders.delete(name)
    grant(name)
  }

  function requestLock<T>(
    process: KillableProcess,
    name: string,
    options: LockOptions,
    callback: () => Promise<T>,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const claim: LockClaim = {
        process,
        // Runs in a later microtask, as in a browser, where a lock is never granted within the call itself.
        run: () =>
          queueMicrotask(
            () =>
              void callback()
                .then(resolve, reject)
                .finally(() => releaseClaim(name, claim)),
          ),
        loseLock: () => reject(new DOMException('stolen', 'AbortError')),
      }
      if (process.isDead) return
      options.signal?.addEventListener('abort', () => {
        queues.set(
          name,
          getQueue(name).filter((otherClaim) => otherClaim !== claim),
        )
        reject(new DOMException('given up', 'AbortError'))
      })
      if (options.steal) {
        holders.get(name)?.loseLock()
        holders.delete(name)
        getQueue(name).unshift(claim)
      } else {
        getQueue(name).push(claim)
      }
      grant(name)
    })
  }

  return {
    listLocks: () => [...holders.keys(), ...[...queues].flatMap(([name, queue]) => (queue.length > 0 ? [name] : []))],
    createManager: (process) => ({
      request: ((name: string, options: LockOptions, callback: () => Promise<unknown>) =>
        requestLock(process, name, options, callback)) as RequestLock,
    }),
    release() {
      for (const [name, queue] of queues)
        queues.set(
          name,
          queue.filter(({ process }) => !process.isDead),
        )
      for (const [name, holder] of holders)
        if (holder.process.isDead) {
          holders.delete(name)
          grant(name)
        }
    },
  }
}
