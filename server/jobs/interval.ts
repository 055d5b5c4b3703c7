/** What is asked for by the clock: soon after the start, which may follow a kill, and from then on. */
import type { AppContext } from '#server/context.ts'

interface Pace {
  firstMs: number
  everyMs: number
}

/** Not while there is no room. `failed`: what the log says then. Answers how to stop. */
export function onClock(
  app: AppContext,
  { firstMs, everyMs }: Pace,
  ask: (app: AppContext) => Promise<unknown>,
  failed: string,
): () => Promise<void> {
  const once = () => {
    if (!app.database.hasFreeSpace()) return
    ask(app).catch((error: unknown) => app.log.warn({ err: error }, failed))
  }
  const timers = [setTimeout(once, firstMs), setInterval(once, everyMs)]
  for (const timer of timers) timer.unref()
  return async () => timers.forEach((timer) => clearTimeout(timer))
}
