/**
 * Stands in for Web Locks where a browser has none (P-31): turns are kept within this page or worker alone. Two of them may
 * then send one write side by side; the idempotency store makes one effect of it, and the fence one record.
 */
const last = new Map<string, Promise<unknown>>()
/** How many hold a name or wait for it. */
const asking = new Map<string, number>()

export async function request<T>(
  name: string,
  { signal, steal, ifAvailable }: LockOptions,
  act: (lock: unknown) => Promise<T>,
): Promise<T> {
  const others = asking.get(name) ?? 0
  if (ifAvailable && others > 0) return await act(null)
  asking.set(name, others + 1)
  const before = steal ? undefined : last.get(name)
  let leave = () => {}
  const mine = new Promise<void>((resolve) => (leave = resolve))
  // Whoever gives up waiting leaves at once, and those behind go on waiting for those before.
  last.set(name, Promise.all([before, mine]))
  try {
    await (before && Promise.race([before, abortOf(signal)]))
    return await act({ name })
  } finally {
    asking.set(name, (asking.get(name) ?? 1) - 1)
    leave()
  }
}

const abortOf = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, fail) => {
    // Patience may have ended while this file was fetched.
    if (signal?.aborted) fail(signal.reason)
    signal?.addEventListener('abort', () => fail(signal.reason), { once: true })
  })
