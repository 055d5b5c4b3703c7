/**
 * Names of rows that had no id when the write was made (protocol 17): `~{intent}` stands for the row that the write of
 * that intent left. Looked for only where the contract says `ref(kind)`; elsewhere text that starts with `~` is data.
 */
import type { Endpoint, ParsedInputOf, Kind, Schema } from '#contract/endpoint.ts'
import { refKind } from '#contract/values.ts'
import type { IdempotencyRow } from '#server/db/idempotency.ts'
import { invalid, ProblemError } from '#server/problems/problem-error.ts'

export type Known = ReadonlyMap<string, IdempotencyRow>

interface Def {
  type: string
  shape?: Record<string, Schema>
  element?: Schema
  innerType?: Schema
}
const defOf = (schema: Schema) => (schema as unknown as { _zod: { def: Def } })._zod.def

type Replace = (kind: Kind, value: unknown) => unknown

/** The value with every reference in it replaced; the rest is the same. */
function through(schema: Schema | undefined, value: unknown, replace: Replace): unknown {
  if (!schema || value === null || value === undefined) return value
  const kind = refKind(schema)
  if (kind) return replace(kind, value)
  const { shape, element, innerType } = defOf(schema)
  if (innerType) return through(innerType, value, replace)
  if (element && Array.isArray(value)) return value.map((one) => through(element, one, replace))
  if (!shape || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      Object.hasOwn(shape, name) ? through(shape[name], one, replace) : one,
    ]),
  )
}

// Parts are parsed by these schemas, so what comes out has the type that went in.
const throughInput = (endpoint: Endpoint, input: ParsedInputOf<Endpoint>, replace: Replace) =>
  ({
    params: through(endpoint.params, input.params, replace),
    query: through(endpoint.query, input.query, replace),
    body: through(endpoint.body, input.body, replace),
  }) as ParsedInputOf<Endpoint>

const intentOf = (value: unknown): string | null =>
  typeof value === 'string' && value.startsWith('~') ? value.slice(1) : null

/** The intents that an input names. */
export function namedIn(endpoint: Endpoint, input: ParsedInputOf<Endpoint>): string[] {
  const intents: string[] = []
  throughInput(endpoint, input, (_, value) => {
    const intent = intentOf(value)
    if (intent) intents.push(intent)
    return value
  })
  return intents
}

/** The rows that an input names, in the order of params, query and body; names of writes (`~{intent}`) as they came. */
export function targetsIn(endpoint: Endpoint, input: ParsedInputOf<Endpoint>): { kind: Kind; id: unknown }[] {
  const targets: { kind: Kind; id: unknown }[] = []
  throughInput(endpoint, input, (kind, id) => {
    targets.push({ kind, id })
    return id
  })
  return targets
}

/** The input with ids for names. Throws NAME_UNKNOWN, which is not final: the write it names may still come. */
export function withIds(endpoint: Endpoint, input: ParsedInputOf<Endpoint>, known: Known): ParsedInputOf<Endpoint> {
  return throughInput(endpoint, input, (kind, value) => {
    const intent = intentOf(value)
    if (!intent) return value
    const row = known.get(intent)
    if (row?.state !== 'done' || row.row_kind !== kind || row.row_id === null) throw nameUnknown(intent)
    return row.row_id
  })
}

const nameUnknown = (intent: string) => new ProblemError('NAME_UNKNOWN', { name: `~${intent}` })

/** If-Match as it came: a version, the name of a write, or nothing. Throws VALIDATION_ERROR for anything else. */
export function readIfMatch(header: string | null): number | `~${string}` | null {
  if (header === null) return null
  const [, said] = /^(?:W\/)?"(\d{1,9}|~[\w-]{1,64})"$/.exec(header.trim()) ?? []
  if (said === undefined) throw invalid([{ field: 'if-match', code: 'INVALID_FORMAT' }])
  return said.startsWith('~') ? (said as `~${string}`) : Number(said)
}

/** The version that `If-Match: "~{intent}"` means: the one that this write left (protocol 9). */
export function versionLeftBy(intent: string, known: Known): { version: number; kind: string; rowId: number } {
  const row = known.get(intent)
  if (row?.state !== 'done' || row.row_version === null || row.row_kind === null || row.row_id === null)
    throw nameUnknown(intent)
  return { version: row.row_version, kind: row.row_kind, rowId: row.row_id }
}

/** A batch's item waits for the one before it in its lane, as the idempotency store has it (protocol 24). */
export function checkAfter(intent: string, known: Known): void {
  const state = known.get(intent)?.state
  if (state === 'done') return
  throw new ProblemError('DEPENDENCY_FAILED', { after: intent, final: state === 'refused' || state === 'void' })
}
