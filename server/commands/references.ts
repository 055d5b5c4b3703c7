/**
 * References to rows that had no id when the write was created (protocol 17): `~{intent}` means the row that the write with that intent
 * created. Only values that the contract declares as `ref(kind)` are references. Elsewhere, text that starts with `~` is data.
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

// The cast is safe: the input was parsed by these schemas, and references are replaced by values of the same type.
const replaceInputReferences = (endpoint: Endpoint, input: ParsedInputOf<Endpoint>, replace: ReplaceReference) =>
  ({
    params: replaceReferences(endpoint.params, input.params, replace),
    query: replaceReferences(endpoint.query, input.query, replace),
    body: replaceReferences(endpoint.body, input.body, replace),
  }) as ParsedInputOf<Endpoint>

const parseReference = (value: unknown): string | null =>
  typeof value === 'string' && value.startsWith('~') ? value.slice(1) : null

export function findReferencedIntents(endpoint: Endpoint, input: ParsedInputOf<Endpoint>): string[] {
  const intents: string[] = []
  replaceInputReferences(endpoint, input, (_, value) => {
    const intent = parseReference(value)
    if (intent) intents.push(intent)
    return value
  })
  return intents
}

/** Returns the rows that an input names, in the order params, query, body. References stay unresolved. */
export function findTargets(endpoint: Endpoint, input: ParsedInputOf<Endpoint>): { kind: RowKind; id: unknown }[] {
  const targets: { kind: RowKind; id: unknown }[] = []
  replaceInputReferences(endpoint, input, (kind, id) => {
    targets.push({ kind, id })
    return id
  })
  return targets
}

/**
 * Replaces references by ids. Throws NAME_UNKNOWN if no done write has created such a row. This is not final, because the write may still
 * arrive.
 */
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

/** Returns a version, a reference, or null without If-Match. Throws VALIDATION_ERROR for anything else. */
export function readIfMatch(header: string | null): number | `~${string}` | null {
  if (header === null) return null
  const [, version] = /^(?:W\/)?"(\d{1,9}|~[\w-]{1,64})"$/.exec(header.trim()) ?? []
  if (version === undefined) throw createValidationProblem([{ field: 'if-match', code: 'INVALID_FORMAT' }])
  return version.startsWith('~') ? (version as `~${string}`) : Number(version)
}

/** Returns the version that `If-Match: "~{intent}"` means: the version that this write stored (protocol 9). */
export function getResultVersion(
  intent: string,
  rowsByIntent: IntentRows,
): { version: number; kind: string; rowId: number } {
  const row = rowsByIntent.get(intent)
  if (row?.state !== 'done' || row.row_version === null || row.row_kind === null || row.row_id === null)
    throw createNameUnknownProblem(intent)
  return { version: row.row_version, kind: row.row_kind, rowId: row.row_id }
}

/** Throws DEPENDENCY_FAILED unless the previous item with the same queue key is done (protocol 24). */
export function checkPredecessor(intent: string, rowsByIntent: IntentRows): void {
  const state = rowsByIntent.get(intent)?.state
  if (state === 'done') return
  throw new ProblemError('DEPENDENCY_FAILED', { after: intent, final: state === 'refused' || state === 'void' })
}
