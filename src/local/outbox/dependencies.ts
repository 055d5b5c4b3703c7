/** What a waiting write has to wait for, read from what it asks. */
import { endpointNamed, type Intent, type Schema } from '#contract/endpoint.ts'
import { refKind } from '#contract/values.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { OutboxEntry } from '#local/storage/records.ts'

interface SchemaParts {
  innerType?: Schema
  element?: Schema
  shape?: Record<string, Schema>
}
const getParts = (schema: Schema): SchemaParts => (schema as unknown as { _zod: { def: SchemaParts } })._zod.def

/** Intents that an input refers to, where the contract declares a reference, however deep. */
export function refersTo(endpoint: string, input: OutboxEntry['input']): Intent[] {
  const spec = endpointNamed(endpoint)
  return (['params', 'query', 'body'] as const).flatMap((part) => {
    const schema = spec?.[part]
    return schema ? readReferences(schema, input[part]) : []
  })
}

function readReferences(schema: Schema, value: unknown): Intent[] {
  if (typeof value === 'string') return value.startsWith('~') && refKind(schema) !== undefined ? [value.slice(1)] : []
  if (typeof value !== 'object' || value === null) return []
  const { innerType, element, shape } = getParts(schema)
  if (innerType) return readReferences(innerType, value)
  if (Array.isArray(value)) return element ? value.flatMap((one) => readReferences(element, one)) : []
  return Object.entries(shape ?? {}).flatMap(([name, field]) =>
    readReferences(field, (value as Record<string, unknown>)[name]),
  )
}

type Write = Pick<OutboxEntry, 'endpoint'>

export type RowNameRules = typeof import(/* chunk: common */ '#local/outbox/row-names.ts')

/**
 * Rules for writes whose rows know each other by name; null where none of these does. Fetched before a transaction begins, and only
 * where such rows are made; a device that cannot fetch them goes on without.
 */
export async function loadNameRules(writes: readonly Write[]): Promise<RowNameRules | null> {
  if (!writes.some(({ endpoint }) => endpointNamed(endpoint)?.queue?.names)) return null
  return await import(/* chunk: common */ '#local/outbox/row-names.ts').catch(() => null)
}

/** Tables that `readDependencies` reads, beside the outbox. */
export const getDependencyTables = (entry: OutboxEntry, names: RowNameRules | null): string[] => [
  'rowIds',
  ...new Set([...(entry.table === '' ? [] : [entry.table]), ...(names?.getNameTables([entry]) ?? [])]),
]

/** What an entry waits for as it is now: a user who changes what it asks may have named another row, or none any more. */
export async function readDependencies(
  db: UserDatabase,
  entry: OutboxEntry,
  names: RowNameRules | null,
): Promise<Intent[]> {
  const referred = refersTo(entry.endpoint, entry.input)
  const others = referred.length > 0 ? await db.outbox.bulkGet(referred) : []
  const waiting = others.flatMap((other) => (other && other.queueKey !== entry.queueKey ? [other.intent] : []))
  const named = (await names?.readNameOrder(db, [entry]))?.findEarlier(entry) ?? []
  return [...new Set([...waiting, ...named])]
}
