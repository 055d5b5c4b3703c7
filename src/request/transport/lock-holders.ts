/**
 * Asks whether the holder of a lock is awake. A frozen tab keeps its locks and gives no answer; a tab that is only hidden or busy
 * with a slow request does.
 */

type LockMessage = { type: 'who holds' | 'held'; name: string }

export interface LockHolders {
  /** Runs under a lock and answers for it meanwhile. */
  whileHeld<T>(name: string, act: () => Promise<T>): Promise<T>
  /** False when nobody has answered until `late` resolves. */
  isHolderAwake(name: string, late: Promise<void>): Promise<boolean>
}

/** Chromium's frozen tabs run no timers, and still hear messages. */
let isFrozen = false
for (const type of ['freeze', 'resume'])
  globalThis.addEventListener?.(type, () => void (isFrozen = type === 'freeze'), { capture: true })

/** Of everything that shares the locks: the contexts of one origin. */
export function createLockHolders(channelName: string): LockHolders {
  const held = new Map<string, number>()
  const listeners = new Set<(name: string) => void>()
  let channel: BroadcastChannel | undefined
  const post = (message: LockMessage) => channel?.postMessage(message)

  function openChannel(): void {
    if (channel || !('BroadcastChannel' in globalThis)) return
    channel = new BroadcastChannel(channelName)
    channel.onmessage = ({ data }) => {
      const { type, name } = data as LockMessage
      if (type === 'held') for (const listen of listeners) listen(name)
      else if (held.has(name) && !isFrozen) post({ type: 'held', name })
    }
    // Node would not end while it is open.
    ;(channel as { unref?: () => void }).unref?.()
  }

  return {
    async whileHeld(name, act) {
      openChannel()
      held.set(name, (held.get(name) ?? 0) + 1)
      // Who asked just before hears of the new holder too.
      post({ type: 'held', name })
      try {
        return await act()
      } finally {
        const others = (held.get(name) ?? 1) - 1
        if (others > 0) held.set(name, others)
        else held.delete(name)
      }
    },
    async isHolderAwake(name, late) {
      openChannel()
      if (!channel || held.has(name)) return true
      let listen: (holder: string) => void = () => {}
      const answered = new Promise<true>((resolve) => {
        listen = (holder) => holder === name && resolve(true)
      })
      listeners.add(listen)
      post({ type: 'who holds', name })
      try {
        return await Promise.race([answered, late.then(() => false)])
      } finally {
        listeners.delete(listen)
      }
    },
  }
}
