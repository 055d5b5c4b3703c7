/**
 * A session that does not wait where nothing is read. A write is several statements, and most of its time would go into
 * waiting for one answer after the other. It takes a connection for itself when the first message leaves and not before: a
 * transaction that is all in one message is sent over a shared one (`lanes.ts`).
 *
 * What is asked in one turn travels together (`flight.ts`). A statement that is `behind`, because nobody needs its answer
 * yet, counts as done when it is asked: its rows are there once a later statement has been answered. If it fails, the next
 * one that is waited for fails with its error, and COMMIT is always waited for: nothing is acknowledged that did not happen.
 * The values of statements travel as parameters, and their texts are prepared once per connection.
 */
import { Client, type QueryResult } from 'pg'
import type { Lanes } from '#server/db/lanes.ts'
import { type Columns, Flight, isPlain, type Said, type Statement } from '#server/db/flight.ts'
import { sqlState } from '#server/db/sql-state.ts'

/** At the end of a statement: its answer is not waited for. */
export const behind = '/* behind */'

const isOpening = (text: string) => /^(begin|start transaction|savepoint )/i.test(text)
const isTaking = (text: string) => /^rollback/i.test(text)
const isBehind = (text: string) => text.endsWith(behind) || isOpening(text)
/** A reading's COMMIT has nothing to say, and is not waited for either. */
const isReading = (text: string) => text.endsWith('read only')

/** Of one text on any connection; a list's filters make a few dozen, and nothing else grows. */
const names = new Map<string, string>()
const mostNames = 1000
let counted = 0

function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size >= mostNames) return ''
  const name = `p${counted++}`
  names.set(text, name)
  return name
}

/** The schema changed under a prepared statement, or a pooler lost it: prepared anew under another name, it works. */
export const isStale = (error: unknown) =>
  sqlState(error) === '26000' ||
  (sqlState(error) === '0A000' && error instanceof Error && error.message.includes('cached plan'))

type Ask = (query: unknown) => Promise<QueryResult>

/** A connection, with the columns of what it has prepared. */
export class Connection extends Client {
  readonly #columns: Columns = new Map()
  readonly #readerOf = (oid: number) => this.getTypeParser(oid, 'text') as (text: string) => unknown

  constructor(config?: ConstructorParameters<typeof Client>[0]) {
    super(config)
    // Whoever asked something over it is told; the pool hears of those that nobody uses.
    this.on('error', () => undefined)
  }

  /** Never throws; the flight hears of its end. */
  fly(flight: Flight, landed: () => void = () => undefined): void {
    const bound = flight.boundFor({ columns: this.#columns, readerOf: this.#readerOf }, landed)
    void (this.query as unknown as Ask)(bound)
  }
}

/** A connection for oneself. */
export type Own = Connection & { release: (broken?: boolean | Error) => void }

/** What the query builder takes for a connection of the pool. */
export class Session {
  readonly #acquire: () => Promise<Own>
  readonly #lanes: Lanes | null
  #asked: Promise<Own> | null = null
  #own: Own | null = null
  #flight: Flight | null = null
  /** Of a statement that was behind, and whose flight nobody waited for. */
  #unheard: { error: unknown } | null = null
  #isReading = false
  /** Of a transaction that is over with its one message, or of which nothing has left: there is nothing to take back. */
  #isOver = false

  constructor(acquire: () => Promise<Own>, lanes: Lanes | null) {
    this.#acquire = acquire
    this.#lanes = lanes
  }

  // Two of the driver's many forms are met: text with values, as Kysely asks, and all others, which are passed on.
  query(...asked: unknown[]): never {
    const [text, values = []] = asked
    const isOurs = typeof text === 'string' && asked.length <= 2 && Array.isArray(values) && values.every(isPlain)
    const answer = isOurs ? this.#ask(text, values) : this.#passOn(asked)
    return answer as never
  }

  release(broken?: boolean | Error): void {
    this.#depart()
    const release = (own: Own) => own.release(broken)
    if (this.#own) release(this.#own)
    else void this.#asked?.then(release, () => undefined)
  }

  async #passOn(asked: unknown[]): Promise<QueryResult> {
    this.#depart()
    const own = this.#own ?? (await this.#mine())
    return (own.query as (...any: unknown[]) => Promise<QueryResult>)(...asked)
  }

  #mine(): Promise<Own> {
    this.#asked ??= this.#acquire().then((own) => (this.#own = own))
    return this.#asked
  }

  #ask(text: string, values: readonly unknown[]): Promise<unknown> | Said {
    // A statement of its own kind without values is asked once in a while, and may be several.
    const isFlown = values.length > 0 || isBehind(text) || /^(commit|rollback)\b/i.test(text)
    if (!isFlown) return this.#heard(text, this.#passOn([text]))
    const isQuiet = isBehind(text) || (this.#isReading && text === 'commit')
    if (isOpening(text)) this.#isReading = isReading(text)
    if (text === 'rollback' && this.#hasNothingToTakeBack()) return { command: 'ROLLBACK', rows: [], rowCount: null }
    // What is taken back may just have failed, and then what travels with it is skipped.
    if (isTaking(text)) this.#depart()
    const statement: Statement = {
      text,
      name: nameOf(text),
      values,
      said: { command: '', rows: [], rowCount: null },
      heard: null,
    }
    if (isQuiet) {
      this.#board(statement)
      return statement.said
    }
    const answer = new Promise<Said>((resolve, reject) => {
      statement.heard = { resolve, reject }
      this.#board(statement)
    })
    return this.#heard(text, answer)
  }

  #hasNothingToTakeBack(): boolean {
    // Its beginning has not left, so neither has anything else; nobody waits for an answer.
    if (this.#flight?.isBegun && !this.#flight.isAwaited) this.#flight = null
    else if (!this.#isOver) return false
    this.#unheard = null
    return true
  }

  #board(statement: Statement): void {
    this.#flight ??= this.#nextFlight()
    this.#flight.add(statement)
  }

  /** Leaves at the end of this turn: until then nothing can have been waited for. */
  #nextFlight(): Flight {
    const flight = new Flight({
      unheard: (error) => void (this.#unheard ??= { error }),
      failed: ({ text }, error) => void (isStale(error) && names.delete(text)),
    })
    process.nextTick(() => {
      if (this.#flight === flight) this.#depart()
    })
    return flight
  }

  #depart(): void {
    const flight = this.#flight
    this.#flight = null
    if (!flight) return
    this.#isOver = flight.isWhole
    if (this.#own) return this.#own.fly(flight)
    if (!this.#asked && flight.isWhole && this.#lanes?.carry(flight)) return
    // Those of one session leave in the order in which they were asked.
    this.#mine().then(
      (own) => own.fly(flight),
      (error: unknown) => flight.handleError(error, null),
    )
  }

  async #heard<T extends { command: string }>(text: string, answer: Promise<T>): Promise<T> {
    const said = await answer.catch((error: unknown) => {
      throw this.#firstFailure() ?? error
    })
    const before = this.#firstFailure()
    // What is taken back need not have worked.
    if (before !== null && !isTaking(text)) throw before
    if (text === 'commit' && said.command === 'ROLLBACK') throw new Error('the transaction had failed before its end')
    return said
  }

  #firstFailure(): unknown {
    const failure = this.#unheard
    this.#unheard = null
    return failure ? failure.error : null
  }
}
