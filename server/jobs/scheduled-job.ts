import type { Config } from '#server/config/config.ts'
import type { AppContext } from '#server/context/context.ts'

/** Work that the clock asks for. */
export interface ScheduledJob {
  /** Stands in the log where a run fails. */
  name: string
  /** From the start of the server to the first run, and between two runs, ms. A start may follow a kill, so the first run comes soon. */
  firstMs: number
  everyMs: number
  /**
   * `node`: looks after something that each server process has for itself. `cluster`: one run for all nodes is enough; several at the
   * same time do no harm, because each takes its rows under a lock.
   */
  runs: 'node' | 'cluster'
  /** Left out: everywhere. */
  isNeeded?: (config: Config) => boolean
  /** `isStopping` tells a long run to end between two of its pieces. */
  run(app: AppContext, isStopping: () => boolean): Promise<unknown>
  /** Calls `wake` when a run is due at once. Returns how to unsubscribe. */
  listen?: (app: AppContext, wake: () => void) => () => void
  /** How a failed run is logged; left out: `warn`. */
  failureLevel?: 'error'
}
