/**
 * Replaces Web Locks in browsers without them (P-31). Locks are exclusive only within this page or worker. Two of them may then send the
 * same write; the idempotency store lets it take effect once, and the fence lets it be recorded once.
 */
const lastTurns = new Map<string, Promise<unknown>>()
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
  // A caller that aborts leaves immediately. Callers after it still wait for all callers before it.
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
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
