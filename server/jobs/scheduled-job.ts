import type { Config } from '#server/config/config.ts'
import type { AppContext } from '#server/context/context.ts'

export interface ScheduledJob {
  name: string
  /** In ms. `firstMs` counts from the start of the server. A start may follow a kill, so the first run comes soon. */
  firstMs: number
  everyMs: number
  /** `node`: runs in each server process. `cluster`: one run is enough, but more do no harm (rows are locked). */
  runs: 'node' | 'cluster'
  isNeeded?: (config: Config) => boolean
  /** A long run checks `isStopping` between two of its pieces, and ends if it returns true. */
  run(app: AppContext, isStopping: () => boolean): Promise<unknown>
  /** Calls `wake` when a run is due at once. Returns an unsubscribe function. */
  listen?: (app: AppContext, wake: () => void) => () => void
  failureLevel?: 'error'
}
