import type { Config } from '#server/config/config.ts'
import type { AppContext } from '#server/context/context.ts'

export interface ScheduledJob {
  name: string
  /** Delay of the first run after the start of the server, in ms. It is short, because the start may follow a kill. */
  firstMs: number
  everyMs: number
  /**
   * `node`: runs in each server process. `cluster`: runs once per interval on all nodes together; in rare cases two nodes run it, so it
   * must do no harm (rows are locked). `hosting`: runs on the node that runs the hosted services, or like `cluster` if every node can
   * manage them (`HOSTING=docker`).
   */
  runs: 'node' | 'cluster' | 'hosting'
  isNeeded?: (config: Config) => boolean
  /** A long run checks `isStopping` between two of its pieces, and ends if it returns true. */
  run(app: AppContext, isStopping: () => boolean): Promise<unknown>
  /** Calls `wake` when the job should run before its next interval. Returns an unsubscribe function. */
  listen?: (app: AppContext, wake: () => void) => () => void
  failureLevel?: 'error'
}
