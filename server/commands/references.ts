/**
 * Names of rows that had no id when the write was made (protocol 17): `~{intent}` stands for the row that the write of
 * that intent left. Looked for only where the contract says `ref(kind)`; elsewhere text that starts with `~` is data.
 */
import type { Endpoint, ParsedInputOf, RowKind, ValueSchema } from '#contract/endpoint.ts'
import { getRefKind } from '#contract/values.ts'
import type { IdempotencyRow } from '#server/db/idempotency-store.ts'
import { createValidationProblem, ProblemError } from '#server/problems/problem-error.ts'

export type IntentRows = ReadonlyMap<string, IdempotencyRow>

interface SchemaDefinition {
  type: string
  shape?: Record<string, ValueSchema>
  element?: ValueSchema
  innerType?: ValueSchema
}
const getDefinition = (schema: ValueSchema) => (schema as unknown as { _zod: { def: SchemaDefinition } })._zod.def

type ReplaceReference = (kind: RowKind, value: unknown) => unknown

/** The value with every reference in it replaced; the rest is the same. */
function replaceReferences(schema: ValueSchema | undefined, value: unknown, replace: ReplaceReference): unknown {
  if (!schema || value === null || value === undefined) return value
  const kind = getRefKind(schema)
  if (kind) return replace(kind, value)
  const { shape, element, innerType } = getDefinition(schema)
  if (innerType) return replaceReferences(innerType, value, replace)
  if (element && Array.isArray(value)) return value.map((item) => replaceReferences(element, item, replace))
  if (!shape || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, fieldValue]) => [
      name,
      Object.hasOwn(shape, name) ? replaceReferences(shape[name], fieldValue, replace) : fieldValue,
    ]),
  )
}

// Parts are parsed by these schemas, so what comes out has the type that went in.
const replaceInputReferences = (endpoint: Endpoint, input: ParsedInputOf<Endpoint>, replace: ReplaceReference) =>
  ({
    params: replaceReferences(endpoint.params, input.params, replace),
    query: replaceReferences(endpoint.query, input.query, replace),
    body: replaceReferences(endpoint.body, input.body, replace),
  }) as ParsedInputOf<Endpoint>

const parseReference = (value: unknown): string | null =>
  typeof value === 'string' && value.startsWith('~') ? value.slice(1) : null

/** The intents that an input names. */
export function findReferencedIntents(endpoint: Endpoint, input: ParsedInputOf<Endpoint>): string[] {
  const intents: string[] = []
  replaceInputReferences(endpoint, input, (_, value) => {
    const intent = parseReference(value)
    if (intent) intents.push(intent)
    return value
  })
  return intents
}

/** The rows that an input names, in the order of params, query and body; names of writes (`~{intent}`) as they came. */
export function findTargets(endpoint: Endpoint, input: ParsedInputOf<Endpoint>): { kind: RowKind; id: unknown }[] {
  const targets: { kind: RowKind; id: unknown }[] = []
  replaceInputReferences(endpoint, input, (kind, id) => {
    targets.push({ kind, id })
    return id
  })
  return targets
}

/** The input with ids for names. Throws NAME_UNKNOWN, which is not final: the write it names may still come. */
export function resolveReferences(
  endpoint: Endpoint,
  input: ParsedInputOf<Endpoint>,
  rowsByIntent: IntentRows,
): ParsedInputOf<Endpoint> {
  return replaceInputReferences(endpoint, input, (kind, value) => {
    const intent = parseReference(value)
    if (!intent) return value
    const row = rowsByIntent.get(intent)
    if (row?.state !== 'done' || row.row_kind !== kind || row.row_id === null) throw createNameUnknownProblem(intent)
    return row.row_id
  })
}

const createNameUnknownProblem = (intent: string) => new ProblemError('NAME_UNKNOWN', { name: `~${intent}` })

/** If-Match as it came: a version, the name of a write, or nothing. Throws VALIDATION_ERROR for anything else. */
export function readIfMatch(header: string | null): number | `~${string}` | null {
  if (header === null) return null
  const [, version] = /^(?:W\/)?"(\d{1,9}|~[\w-]{1,64})"$/.exec(header.trim()) ?? []
  if (version === undefined) throw createValidationProblem([{ field: 'if-match', code: 'INVALID_FORMAT' }])
  return version.startsWith('~') ? (version as `~${string}`) : Number(version)
}

/** The version that `If-Match: "~{intent}"` means: the one that this write left (protocol 9). */
export function getResultVersion(
  intent: string,
  rowsByIntent: IntentRows,
): { version: number; kind: string; rowId: number } {
  const row = rowsByIntent.get(intent)
  if (row?.state !== 'done' || row.row_version === null || row.row_kind === null || row.row_id === null)
    throw createNameUnknownProblem(intent)
  return { version: row.row_version, kind: row.row_kind, rowId: row.row_id }
}

/** A batch's item waits for the one before it in its lane, as the idempotency store has it (protocol 24). */
export function checkPredecessor(intent: string, rowsByIntent: IntentRows): void {
  const state = rowsByIntent.get(intent)?.state
  if (state === 'done') return
  throw new ProblemError('DEPENDENCY_FAILED', { after: intent, final: state === 'refused' || state === 'void' })
}
