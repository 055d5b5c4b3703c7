/** Web Locks of one browser, as far as the request pipeline uses them, whose holders can die: then their locks are free. */
import type { Mortal } from '#tests/outbox-model/disk.ts'

type Request = LockManager['request']

export interface DyingLocks {
  managerFor(process: Mortal): { request: Request }
  /** Whoever is dead holds and awaits nothing. */
  release(): void
  /** Names that somebody holds or waits for. */
  taken(): string[]
}

interface Claim {
  process: Mortal
  run: () => void
  lose: () => void
}

export function createLocks(): DyingLocks {
  const holders = new Map<string, Claim>()
  const queues = new Map<string, Claim[]>()
  const queueOf = (name: string) => queues.get(name) ?? queues.set(name, []).get(name) ?? []

  function grant(name: string): void {
    if (holders.has(name)) return
    const next = queueOf(name).shift()
    if (!next) return
    holders.set(name, next)
    next.run()
  }

  function leave(name: string, claim: Claim): void {
    if (holders.get(name) === claim) holders.delete(name)
    grant(name)
  }

  function ask<T>(process: Mortal, name: string, options: LockOptions, act: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const claim: Claim = {
        process,
        // A moment later, as in a browser: nobody is given a lock within their own call.
        run: () =>
          queueMicrotask(
            () =>
              void act()
                .then(resolve, reject)
                .finally(() => leave(name, claim)),
          ),
        lose: () => reject(new DOMException('stolen', 'AbortError')),
      }
      if (process.isDead) return
      options.signal?.addEventListener('abort', () => {
        queues.set(
          name,
          queueOf(name).filter((other) => other !== claim),
        )
        reject(new DOMException('given up', 'AbortError'))
      })
      if (options.steal) {
        holders.get(name)?.lose()
        holders.delete(name)
        queueOf(name).unshift(claim)
      } else {
        queueOf(name).push(claim)
      }
      grant(name)
    })
  }

  return {
    taken: () => [...holders.keys(), ...[...queues].flatMap(([name, queue]) => (queue.length > 0 ? [name] : []))],
    managerFor: (process) => ({
      request: ((name: string, options: LockOptions, act: () => Promise<unknown>) =>
        ask(process, name, options, act)) as Request,
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
