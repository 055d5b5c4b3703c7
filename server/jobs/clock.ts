/** What is asked for by the clock: soon after the start, which may follow a kill, and from then on. */
import type { House } from '#server/house.ts'

interface Pace {
  firstMs: number
  everyMs: number
}

/** Not while there is no room. `failed`: what the log says then. Answers how to stop. */
export function onClock(
  house: House,
  { firstMs, everyMs }: Pace,
  ask: (house: House) => Promise<void>,
  failed: string,
): () => Promise<void> {
  const once = () => {
    if (!house.database.hasRoom()) return
    ask(house).catch((error: unknown) => house.log.warn({ err: error }, failed))
  }
  const timers = [setTimeout(once, firstMs), setInterval(once, everyMs)]
  for (const timer of timers) timer.unref()
  return async () => timers.forEach((timer) => clearTimeout(timer))
}
