/**
 * Asks whether the holder of a lock is awake. A frozen tab keeps its locks and gives no answer; a tab that is only hidden or busy
 * with a slow request does.
 */

type LockMessage = { type: 'who holds' | 'held'; name: string }

export interface LockHolders {
  /** Runs under a lock and answers for it meanwhile. */
  runWhileHolding<T>(name: string, action: () => Promise<T>): Promise<T>
  /** False when nobody has answered until `timeout` resolves. */
  isHolderAwake(name: string, timeout: Promise<void>): Promise<boolean>
}

/** Chromium's frozen tabs run no timers, and still hear messages. */
let isFrozen = false
for (const type of ['freeze', 'resume'])
  globalThis.addEventListener?.(type, () => void (isFrozen = type === 'freeze'), { capture: true })

/** Of everything that shares the locks: the contexts of one origin. */
export function createLockHolders(channelName: string): LockHolders {
  const holdCounts = new Map<string, number>()
  const listeners = new Set<(name: string) => void>()
  let channel: BroadcastChannel | undefined
  const post = (message: LockMessage) => channel?.postMessage(message)

  function openChannel(): void {
    if (channel || !('BroadcastChannel' in globalThis)) return
    channel = new BroadcastChannel(channelName)
    channel.onmessage = ({ data }) => {
      const { type, name } = data as LockMessage
      if (type === 'held') for (const listener of listeners) listener(name)
      else if (holdCounts.has(name) && !isFrozen) post({ type: 'held', name })
    }
    // Node would not end while it is open.
    ;(channel as { unref?: () => void }).unref?.()
  }

  return {
    async runWhileHolding(name, action) {
      openChannel()
      holdCounts.set(name, (holdCounts.get(name) ?? 0) + 1)
      // Who asked just before hears of the new holder too.
      post({ type: 'held', name })
      try {
        return await action()
      } finally {
        const remainingCount = (holdCounts.get(name) ?? 1) - 1
        if (remainingCount > 0) holdCounts.set(name, remainingCount)
        else holdCounts.delete(name)
      }
    },
    async isHolderAwake(name, timeout) {
      openChannel()
      if (!channel || holdCounts.has(name)) return true
      let listener: (holderName: string) => void = () => {}
      const holderResponse = new Promise<true>((resolve) => {
        listener = (holderName) => holderName === name && resolve(true)
      })
      listeners.add(listener)
      post({ type: 'who holds', name })
      try {
        return await Promise.race([holderResponse, timeout.then(() => false)])
      } finally {
        listeners.delete(listener)
      }
    },
  }
}
