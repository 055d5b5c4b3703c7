/** Parses the NDJSON stream of leaves for a device that stores them. The input is untrusted. */
import { LogError } from '#domain/audit-log/fault.ts'
import { type Hash, hashLeaf, readHash } from '#domain/audit-log/hash.ts'
import { type AuditEntryRow, toEntryRow } from '#domain/audit-log/leaf.ts'

export interface StreamedEntry {
  index: number
  hash: Hash
  /** Null if the reader may only see the hash. */
  row: AuditEntryRow | null
}

export interface StreamedLeaves {
  zone: string
  from: number
  /** Exclusive log index. */
  to: number
  entries: StreamedEntry[]
}

/**
 * Parses a complete stream (`exportTrail`, ndjson) requested from `from` on. Throws STREAM_CUT if the end is missing, STREAM_BAD for
 * malformed lines, gaps or a wrong order or count, OTHER_LOG for leaves of another company. Whether the leaves are authentic is only proven
 * by the tree.
 */
export function readLeafStream(text: string, expected: { companyId: number; from: number }): StreamedLeaves {
  const lines = text.split('\n')
  if (lines.pop() !== '' || lines.length < 2) throw new LogError('STREAM_CUT', 'the stream ends within a line')
  const createError = (reason: string, index: number) => new LogError('STREAM_BAD', `${reason} in line ${index + 1}`)
  const objects = lines.map((line, index) => {
    try {
      const value: unknown = JSON.parse(line)
      if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
    } catch {
      // The error is thrown below, as for other lines.
    }
    throw createError('not a JSON object', index)
  })
  const [firstLine = {}, ...rest] = objects
  const { zone, from, to } = firstLine
  if (typeof zone !== 'string' || !isLogIndex(from) || !isLogIndex(to) || from !== expected.from || to < from)
    throw createError('invalid range', 0)
  const lastLine = rest.pop() ?? {}
  if (!('count' in lastLine)) throw new LogError('STREAM_CUT', 'the last line is missing')
  if (rest.length !== to - from || lastLine['count'] !== rest.length)
    throw createError('wrong number of entries', lines.length - 1)
  const entries = rest.map((line, index) => {
    if (line['index'] !== from + index) throw createError('wrong index', index + 1)
    return toStreamedEntry(line, {
      index: from + index,
      zone,
      companyId: expected.companyId,
      createError: () => createError('invalid entry', index + 1),
    })
  })
  return { zone, from, to, entries }
}

const isLogIndex = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

function toStreamedEntry(
  { leaf, hash }: Record<string, unknown>,
  {
    index,
    zone,
    companyId,
    createError,
  }: { index: number; zone: string; companyId: number; createError: () => LogError },
): StreamedEntry {
  if (typeof leaf !== 'string') return { index, hash: readHash(hash), row: null }
  const row = parseEntryRow(leaf, index, zone)
  if (!row) throw createError()
  if (row.company_id !== companyId)
    throw new LogError('OTHER_LOG', `entry ${index} belongs to company ${row.company_id}`)
  return { index, hash: hashLeaf(leaf), row }
}

/** Returns null if the leaf is not an entry or its time is invalid. */
function parseEntryRow(leaf: string, index: number, zone: string): AuditEntryRow | null {
  try {
    return toEntryRow(leaf, index, zone)
  } catch {
    return null
  }
}
