import type { AppContext } from '#server/context/context.ts'

const repeatMs = 60_000
const loggedTimes = new WeakMap<AppContext, Map<string, number>>()

/** Returns true once a minute as long as a state lasts. If the clock was set back, the state is still logged. */
export function isDueToLog(app: AppContext, state: string): boolean {
  const now = app.clock()
  const times = loggedTimes.get(app) ?? new Map<string, number>()
  loggedTimes.set(app, times)
  if (Math.abs(now - (times.get(state) ?? -Infinity)) < repeatMs) return false
  times.set(state, now)
  return true
}
