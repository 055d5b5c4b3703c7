/**
 * Stands in for Web Locks where a browser has none (P-31): turns are kept within this page or worker alone. Two of them may
 * then send one write side by side; the idempotency store makes one effect of it, and the fence one record.
 */
const lastTurns = new Map<string, Promise<unknown>>()
/** How many hold a name or wait for it. */
const claimCounts = new Map<string, number>()

export async function request<T>(
  name: string,
  { signal, steal, ifAvailable }: LockOptions,
  action: (lock: unknown) => Promise<T>,
): Promise<T> {
  const otherCount = claimCounts.get(name) ?? 0
  if (ifAvailable && otherCount > 0) return await action(null)
  claimCounts.set(name, otherCount + 1)
  const previousTurn = steal ? undefined : lastTurns.get(name)
  let endTurn = () => {}
  const ownTurn = new Promise<void>((resolve) => (endTurn = resolve))
  // Whoever gives up waiting leaves at once, and those behind go on waiting for those before.
  lastTurns.set(name, Promise.all([previousTurn, ownTurn]))
  try {
    await (previousTurn && Promise.race([previousTurn, rejectOnAbort(signal)]))
    return await action({ name })
  } finally {
    claimCounts.set(name, (claimCounts.get(name) ?? 1) - 1)
    endTurn()
  }
}

const rejectOnAbort = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, reject) => {
    // Patience may have ended while this file was fetched.
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
