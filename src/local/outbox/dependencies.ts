import { findEndpoint, type Intent, type ValueSchema } from '#contract/endpoint.ts'
import { getRefKind } from '#contract/values.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { OutboxEntry } from '#local/storage/records.ts'

interface SchemaParts {
  innerType?: ValueSchema
  element?: ValueSchema
  shape?: Record<string, ValueSchema>
}
const getParts = (schema: ValueSchema): SchemaParts => (schema as unknown as { _zod: { def: SchemaParts } })._zod.def

export function findReferences(endpoint: string, input: OutboxEntry['input']): Intent[] {
  const spec = findEndpoint(endpoint)
  return (['params', 'query', 'body'] as const).flatMap((part) => {
    const schema = spec?.[part]
    return schema ? readReferences(schema, input[part]) : []
  })
}

function readReferences(schema: ValueSchema, value: unknown): Intent[] {
  if (typeof value === 'string')
    return value.startsWith('~') && getRefKind(schema) !== undefined ? [value.slice(1)] : []
  if (typeof value !== 'object' || value === null) return []
  const { innerType, element, shape } = getParts(schema)
  if (innerType) return readReferences(innerType, value)
  if (Array.isArray(value)) return element ? value.flatMap((elementValue) => readReferences(element, elementValue)) : []
  return Object.entries(shape ?? {}).flatMap(([name, field]) =>
    readReferences(field, (value as Record<string, unknown>)[name]),
  )
}

type Write = Pick<OutboxEntry, 'endpoint'>

export type RowNameRules = typeof import(/* chunk: common */ '#local/outbox/row-names.ts')

/**
 * Returns the rules for rows that refer to each other by name, or null if no such rows are written. Must be awaited before a transaction
 * begins. Loaded only when needed; a device that cannot load them continues without them.
 */
export async function loadNameRules(writes: readonly Write[]): Promise<RowNameRules | null> {
  if (!writes.some(({ endpoint }) => findEndpoint(endpoint)?.queue?.names)) return null
  return await import(/* chunk: common */ '#local/outbox/row-names.ts').catch(() => null)
}

export const getDependencyTables = (entry: OutboxEntry, names: RowNameRules | null): string[] => [
  'rowIds',
  ...new Set([...(entry.table === '' ? [] : [entry.table]), ...(names?.getNameTables([entry]) ?? [])]),
]

/**
 * Returns the intents that an entry waits for now. They can change when the user edits the input, which may then refer to another row or to
 * no row.
 */
export async function readDependencies(
  db: UserDatabase,
  entry: OutboxEntry,
  names: RowNameRules | null,
): Promise<Intent[]> {
  const references = findReferences(entry.endpoint, entry.input)
  const creatorEntries = references.length > 0 ? await db.outbox.bulkGet(references) : []
  const waitingIntents = creatorEntries.flatMap((creatorEntry) =>
    creatorEntry && creatorEntry.queueKey !== entry.queueKey ? [creatorEntry.intent] : [],
  )
  const nameDependencies = (await names?.readNameOrder(db, [entry]))?.findEarlier(entry) ?? []
  return [...new Set([...waitingIntents, ...nameDependencies])]
}
