/**
 * The clock of all nodes. On PostgreSQL it is the clock of the database: leases, due times and timestamps of all nodes agree, although the
 * clocks of their machines do not. Between measurements it follows the monotonic clock of the process, so that changes of the machine's
 * clock have no effect, and it goes on while the database cannot be reached. The embedded database has one process, which uses its own
 * clock.
 */
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { StartProblem } from '#server/config/config.ts'
import type { Database } from '#server/db/database.ts'

export interface ClusterClock {
  /** Epoch ms, an integer that never falls within a process. */
  now: () => number
  /** Compares the clock with the database again. Rejects if the database cannot be reached. */
  measure(): Promise<void>
  close(): void
}

/** Times in ms. `difference`: of the machine's clock, above which a warning is logged. */
const times = { measure: 10_000, check: 1000, difference: 5000, repeatWarning: 3_600_000, jump: 1000 }
const samplesPerMeasurement = 4

interface MachineClocks {
  /** Clock of the machine, which people and programs may change, in epoch ms. */
  machine: () => number
  /** Monotonic clock of the process, in ms. */
  monotonic: () => number
}

const processClocks: MachineClocks = { machine: () => Date.now(), monotonic: () => performance.now() }

/** Runs `work` with a function that reads the clock of the database in epoch ms, over one connection. */
export type DatabaseTime = (work: (readTime: () => Promise<number>) => Promise<void>) => Promise<void>

const createDatabaseTime =
  ({ kysely }: Pick<Database, 'kysely'>): DatabaseTime =>
  (work) =>
    kysely.connection().execute((db) =>
      work(async () => {
        const { rows } = await sql<{ time: number }>`
          select (extract(epoch from clock_timestamp()) * 1000)::float8 as time`.execute(db)
        return rows[0]?.time ?? Number.NaN
      }),
    )

/** Opens the clock after its first measurement. Throws StartProblem if that fails. */
export async function openClusterClock(
  database: Pick<Database, 'engine' | 'kysely'>,
  log: Logger,
  clocks: MachineClocks = processClocks,
): Promise<ClusterClock> {
  if (database.engine === 'embedded')
    return { now: clocks.machine, measure: async () => undefined, close: () => undefined }
  return await followDatabaseTime(createDatabaseTime(database), log, clocks)
}

export async function followDatabaseTime(
  databaseTime: DatabaseTime,
  log: Logger,
  clocks: MachineClocks,
): Promise<ClusterClock> {
  const clock = new DatabaseClock(databaseTime, log, clocks)
  await clock.measure().catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartProblem(`Could not read the clock of the database: ${reason}.`, { cause: error })
  })
  clock.start()
  return clock
}

class DatabaseClock implements ClusterClock {
  readonly #databaseTime: DatabaseTime
  private readonly log: Logger
  readonly #clocks: MachineClocks
  /** Time of the database minus the monotonic clock, in ms. Null before the first measurement. */
  #offset: number | null = null
  #latest = { time: 0, monotonic: 0 }
  #measured = { monotonic: 0, machine: 0, isSuccess: false }
  #warnedAt = -Infinity
  #timer: NodeJS.Timeout | undefined
  #measurement: Promise<void> | null = null

  constructor(databaseTime: DatabaseTime, log: Logger, clocks: MachineClocks) {
    this.#databaseTime = databaseTime
    this.log = log
    this.#clocks = clocks
  }

  /**
   * If a measurement shows that the clock was ahead, it runs at half speed until the database's clock has caught up. If it was behind, it
   * jumps forward.
   */
  now = (): number => {
    const monotonic = this.#clocks.monotonic()
    const slowedTime = this.#latest.time + (monotonic - this.#latest.monotonic) / 2
    this.#latest = { time: Math.max(monotonic + (this.#offset ?? 0), slowedTime), monotonic }
    return Math.floor(this.#latest.time)
  }

  start(): void {
    this.#timer = setInterval(() => {
      if (this.#isMeasurementDue()) this.measure().catch(() => undefined)
    }, times.check).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  measure(): Promise<void> {
    this.#measurement ??= this.#measure().finally(() => (this.#measurement = null))
    return this.#measurement
  }

  /**
   * Due every ten seconds, and every second after a failure, so that a database that has moved to another machine is measured at once. Also
   * due if the machine's clock has jumped: the machine may have been suspended, which the monotonic clock does not count.
   */
  #isMeasurementDue(): boolean {
    const { monotonic, machine, isSuccess } = this.#measured
    const elapsed = this.#clocks.monotonic() - monotonic
    const hasJumped = Math.abs(this.#clocks.machine() - machine - elapsed) > times.jump
    return !isSuccess || hasJumped || elapsed >= times.measure
  }

  async #measure(): Promise<void> {
    this.#recordMeasurement(false)
    const bounds = await this.#readOffsetBounds()
    const offset = this.#offset ?? (bounds.min + bounds.max) / 2
    // The former offset stays if it is possible. So a slow response never makes the clock less exact.
    this.#offset = Math.min(Math.max(offset, bounds.min), bounds.max)
    this.#recordMeasurement(true)
    this.#warnOfDifference()
  }

  #recordMeasurement(isSuccess: boolean): void {
    this.#measured = { monotonic: this.#clocks.monotonic(), machine: this.#clocks.machine(), isSuccess }
  }

  /** The database reads its clock between the request and the response, so the fastest response gives the closest bounds. */
  async #readOffsetBounds(): Promise<{ min: number; max: number }> {
    let best = { min: -Infinity, max: Infinity }
    await this.#databaseTime(async (readTime) => {
      for (let sample = 0; sample < samplesPerMeasurement; sample++) {
        const sentAt = this.#clocks.monotonic()
        const time = await readTime()
        const receivedAt = this.#clocks.monotonic()
        if (!Number.isFinite(time)) throw new Error('the database returned no time')
        const bounds = { min: time - receivedAt, max: time - sentAt }
        if (bounds.max - bounds.min < best.max - best.min) best = bounds
      }
    })
    return best
  }

  #warnOfDifference(): void {
    const monotonic = this.#clocks.monotonic()
    const difference = Math.round(this.#clocks.machine() - monotonic - (this.#offset ?? 0))
    if (Math.abs(difference) <= times.difference || monotonic - this.#warnedAt < times.repeatWarning) return
    this.#warnedAt = monotonic
    this.log.warn(
      { event: 'clock_differs', differenceMs: difference },
      'the clock of this machine differs from the clock of the database',
    )
  }
}
