/**
 * A connection that does not wait where nothing is read. A write is a dozen statements, and most of its time would go into
 * waiting for one answer after the other.
 *
 * Statements go out at once, in order (the driver's pipeline). One that is `behind`, because nobody reads what it answers,
 * counts as done when it is sent; if it fails, the next statement that is waited for fails with its error, and COMMIT is
 * always waited for: nothing is acknowledged that did not happen. Statements with parameters are prepared once per connection.
 */
import { sql } from 'kysely'
import type { Writable } from 'node:stream'
import { Client, type QueryResult } from 'pg'
import { sqlState } from '#server/db/sql-state.ts'

/** For `modifyEnd`: the statement's answer is not waited for. */
export const behind = sql`/* behind */`
/** In the statement that opens a reading: its COMMIT has nothing to say, and is not waited for either. */
export const reading = sql`/* reading */`

const isOpening = (text: string) => /^(begin|start transaction|savepoint )/i.test(text)
const isBehind = (text: string) => text.endsWith('/* behind */') || isOpening(text)

/** Of one text on any connection; a list's filters make a few dozen, and nothing else grows. */
const names = new Map<string, string>()
const mostNames = 1000
let counted = 0

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= mostNames) return known
  const name = `p${counted++}`
  names.set(text, name)
  return name
}

/** The schema changed under a prepared statement, or a pooler lost it: prepared anew under another name, it works. */
export const isStale = (error: unknown) =>
  sqlState(error) === '26000' ||
  (sqlState(error) === '0A000' && error instanceof Error && error.message.includes('cached plan'))

/** The driver's own socket; it is not in its types. */
const socketOf = (client: Client) => (client as unknown as { connection: { stream: Writable } }).connection.stream

type Ask = (query: { text: string; values: unknown[]; name?: string }) => Promise<QueryResult>
const nothing: Pick<QueryResult, 'command' | 'rows' | 'rowCount'> = { command: 'BEHIND', rows: [], rowCount: null }

export class PipelinedClient extends Client {
  #unheard: Promise<unknown>[] = []
  #isReading = false
  #isHeldBack = false

  // Two of the driver's many forms are met: text with values, as Kysely asks, and all others, which are passed on.
  override query(...asked: unknown[]): never {
    const [text, values] = asked
    const isPlain = typeof text === 'string' && asked.length <= 2 && (values === undefined || Array.isArray(values))
    const answer = isPlain
      ? this.#ask(text, (values ?? []) as unknown[])
      : (super.query as (...any: unknown[]) => unknown)(...asked)
    return answer as never
  }

  async #ask(text: string, values: unknown[]): Promise<unknown> {
    const name = values.length > 0 ? nameOf(text) : undefined
    this.#holdBack()
    // Handed over in this very turn, before anything is waited for.
    const sent = (super.query as unknown as Ask)({ text, values, ...(name === undefined ? {} : { name }) })
    const isQuiet = isBehind(text) || (this.#isReading && text === 'commit')
    this.#isReading = text.includes('/* reading */') || (this.#isReading && text !== 'commit' && text !== 'rollback')
    if (isQuiet) {
      sent.catch(() => undefined)
      this.#unheard.push(sent)
      return nothing
    }
    return this.#heard(text, sent)
  }

  /** What follows without waiting goes out in one piece: system calls cost more than small statements. */
  #holdBack(): void {
    if (this.#isHeldBack) return
    this.#isHeldBack = true
    const socket = socketOf(this)
    socket.cork()
    process.nextTick(() => {
      this.#isHeldBack = false
      socket.uncork()
    })
  }

  async #heard(text: string, sent: Promise<QueryResult>): Promise<QueryResult> {
    const before = this.#unheard
    this.#unheard = []
    // Waited for to its end in any case, so that no failure is left without anybody who hears it.
    const [answer, ...earlier] = await Promise.allSettled([sent, ...before])
    const failed = earlier.find(({ status }) => status === 'rejected')
    // What is taken back need not have worked.
    if (failed?.status === 'rejected' && !/^rollback/i.test(text)) throw failed.reason
    if (answer.status === 'fulfilled') return answer.value
    if (isStale(answer.reason)) names.delete(text)
    throw answer.reason
  }
}
