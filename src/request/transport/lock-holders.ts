/** Checks whether a lock's holder is awake. A frozen tab does not respond; a hidden or busy one does. */

type LockMessage = { type: 'who holds' | 'held'; name: string }

export interface LockHolders {
  runWhileHolding<T>(name: string, action: () => Promise<T>): Promise<T>
  /** Resolves to false if no holder has responded when `timeout` resolves. */
  isHolderAwake(name: string, timeout: Promise<void>): Promise<boolean>
}

/** True while this tab is frozen. Frozen tabs in Chromium run no timers but still receive messages, so they must not respond. */
let isFrozen = false
for (const type of ['freeze', 'resume'])
  globalThis.addEventListener?.(type, () => void (isFrozen = type === 'freeze'), { capture: true })

/** Creates the check for all contexts that share the locks, which are all contexts of one origin. */
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
    // Without `unref`, Node would not exit while the channel is open.
    ;(channel as { unref?: () => void }).unref?.()
  }

  return {
    async runWhileHolding(name, action) {
      openChannel()
      holdCounts.set(name, (holdCounts.get(name) ?? 0) + 1)
      // A context may have sent a check just before this one became the holder, so the holder announces itself.
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
