import type { AppContext } from '#server/context/context.ts'

const repeatMs = 60_000
const loggedTimes = new WeakMap<AppContext, Map<string, number>>()

/** Returns true once a minute for a lasting state. A clock that was set back does not suppress the log line. */
export function isDueToLog(app: AppContext, state: string): boolean {
  const now = app.clock()
  const times = loggedTimes.get(app) ?? new Map<string, number>()
  loggedTimes.set(app, times)
  if (Math.abs(now - (times.get(state) ?? -Infinity)) < repeatMs) return false
  times.set(state, now)
  return true
}
