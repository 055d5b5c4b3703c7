/** Leaves of a log as they travel to a device that keeps them: lines of JSON, read as what a stranger may have written. */
import { LogError } from '#domain/audit-log/fault.ts'
import { type Hash, leafHash, readHash } from '#domain/audit-log/hash.ts'
import { type AuditEntryRow, entryOfLeaf } from '#domain/audit-log/leaf.ts'

export interface StreamedEntry {
  index: number
  hash: Hash
  /** Null: the reader may not see more than its hash. */
  row: AuditEntryRow | null
}

export interface StreamedPiece {
  zone: string
  from: number
  /** Not included. */
  to: number
  entries: StreamedEntry[]
}

/**
 * A whole stream (`exportTrail`, ndjson) that was asked for from `from` on. Throws STREAM_CUT where its end is missing, STREAM_BAD on
 * lines that are no leaves, gaps, another order or number, OTHER_LOG on leaves of another company. Whether they are what
 * was recorded only the tree can say.
 */
export function readLeafStream(text: string, asked: { companyId: number; from: number }): StreamedPiece {
  const lines = text.split('\n')
  if (lines.pop() !== '' || lines.length < 2) throw new LogError('STREAM_CUT', 'the stream ends within a line')
  const bad = (what: string, at: number) => new LogError('STREAM_BAD', `${what} in line ${at + 1}`)
  const objects = lines.map((line, at) => {
    try {
      const read: unknown = JSON.parse(line)
      if (typeof read === 'object' && read !== null) return read as Record<string, unknown>
    } catch {
      // Said below, as of any other line.
    }
    throw bad('no JSON object', at)
  })
  const [head = {}, ...rest] = objects
  const { zone, from, to } = head
  if (typeof zone !== 'string' || !isPlace(from) || !isPlace(to) || from !== asked.from || to < from)
    throw bad('no range', 0)
  const end = rest.pop() ?? {}
  if (!('count' in end)) throw new LogError('STREAM_CUT', 'the last line is missing')
  if (rest.length !== to - from || end['count'] !== rest.length)
    throw bad('another number of entries', lines.length - 1)
  const entries = rest.map((line, at) => {
    if (line['index'] !== from + at) throw bad('a gap', at + 1)
    return entryOf(line, { index: from + at, zone, companyId: asked.companyId, bad: () => bad('no entry', at + 1) })
  })
  return { zone, from, to, entries }
}

const isPlace = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

function entryOf(
  { leaf, hash }: Record<string, unknown>,
  { index, zone, companyId, bad }: { index: number; zone: string; companyId: number; bad: () => LogError },
): StreamedEntry {
  if (typeof leaf !== 'string') return { index, hash: readHash(hash), row: null }
  const row = rowOf(leaf, index, zone)
  if (!row) throw bad()
  if (row.company_id !== companyId) throw new LogError('OTHER_LOG', `entry ${index} is of company ${row.company_id}`)
  return { index, hash: leafHash(leaf), row }
}

/** Null: it is no entry, or its time is none. */
function rowOf(leaf: string, index: number, zone: string): AuditEntryRow | null {
  try {
    return entryOfLeaf(leaf, index, zone)
  } catch {
    return null
  }
}
