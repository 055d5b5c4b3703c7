/** Limits responses to the fields of their output schema (S-16), so a new column does not appear in responses. */
import * as z from 'zod/mini'
import type { Endpoint, ValueSchema } from '#contract/endpoint.ts'

/** Throws an error that is not a problem, because a row that does not match its own schema is a fault of the server. */
export function applySchema(schema: ValueSchema, value: unknown, name: string): unknown {
  const result = z.safeParse(schema, value)
  if (result.success) return result.data
  throw createSchemaError(name, result.error.issues)
}

function createSchemaError(name: string, issues: readonly z.core.$ZodIssue[]): Error {
  const paths = issues.map((issue) => issue.path.join('.')).join(', ')
  return new Error(`the response of ${name} does not match its schema: ${paths.slice(0, 1000)}`)
}

export const applyOutputSchema = (endpoint: Endpoint, body: unknown): unknown =>
  endpoint.output === null ? null : applySchema(endpoint.output, body, endpoint.name)

export interface LeftOutRow {
  id: number | string | null
  fields: string
}

interface SchemaRows {
  body: unknown
  leftOutRows: LeftOutRow[]
}

/**
 * Leaves out rows that do not match the schema, so that one bad row does not hide all others. Used for reads. Throws if the invalid value
 * is not a row of a list. A single resource with a version is never returned in part, because an editor sends back what it received.
 */
export function applyRowSchema(schema: ValueSchema, body: unknown, name: string): SchemaRows {
  const result = z.safeParse(schema, body)
  if (result.success) return { body: result.data, leftOutRows: [] }
  const { issues } = result.error
  const invalidRows = isRecord(body) && 'row_version' in body ? null : findInvalidRows(issues, body)
  if (invalidRows === null) throw createSchemaError(name, issues)
  const bodyWithoutInvalidRows = [...invalidRows].reduce(
    (rest, [, { path, rows }]) => removeRows(rest, path, rows),
    body,
  )
  const leftOutRows = [...invalidRows.values()].flatMap(({ rows }) => [...rows.values()])
  return { body: applySchema(schema, bodyWithoutInvalidRows, name), leftOutRows }
}

type InvalidRowsByPath = Map<string, { path: PropertyKey[]; rows: Map<number, LeftOutRow> }>

/** Returns null if a fault is outside all rows. For a union, uses the first alternative whose faults are all inside rows. */
function findInvalidRows(issues: readonly z.core.$ZodIssue[], body: unknown): InvalidRowsByPath | null {
  const [firstIssue] = issues
  const options = firstIssue?.code === 'invalid_union' && firstIssue.path.length === 0 ? firstIssue.errors : [issues]
  for (const option of options) {
    const invalidRows = option.length > 0 ? groupInvalidRows(option, body) : null
    if (invalidRows !== null) return invalidRows
  }
  return null
}

function groupInvalidRows(issues: readonly z.core.$ZodIssue[], body: unknown): InvalidRowsByPath | null {
  const invalidRows: InvalidRowsByPath = new Map()
  for (const { path } of issues) {
    const depth = findRowDepth(path, body)
    const index = path[depth]
    if (typeof index !== 'number') return null
    const listPath = path.slice(0, depth)
    const list = invalidRows.get(listPath.join('.')) ?? { path: listPath, rows: new Map() }
    invalidRows.set(listPath.join('.'), list)
    const field = path.slice(depth + 1).join('.')
    const knownRow = list.rows.get(index)
    const fields = knownRow === undefined ? field : `${knownRow.fields}, ${field}`
    list.rows.set(index, { id: getRowId(getValueAt(body, path.slice(0, depth + 1))), fields: fields.slice(0, 300) })
  }
  return invalidRows
}

/**
 * Returns the depth of the first index into a list of objects, or -1. A fault in a nested list belongs to the row that contains the list.
 */
function findRowDepth(path: readonly PropertyKey[], body: unknown): number {
  let value = body
  for (const [depth, name] of path.entries()) {
    if (Array.isArray(value)) return value.some(isRecord) ? depth : -1
    value = (value as Record<PropertyKey, unknown> | null | undefined)?.[name]
  }
  return -1
}

const getValueAt = (body: unknown, path: readonly PropertyKey[]) =>
  path.reduce<unknown>((value, name) => (value as Record<PropertyKey, unknown> | null | undefined)?.[name], body)

function removeRows(value: unknown, path: readonly PropertyKey[], rows: ReadonlyMap<number, unknown>): unknown {
  const [name, ...rest] = path
  if (name === undefined) return (value as unknown[]).filter((_, index) => !rows.has(index))
  return { ...(value as object), [name]: removeRows((value as Record<PropertyKey, unknown>)[name], rest, rows) }
}

function getRowId(row: unknown): number | string | null {
  const id = isRecord(row) ? row['id'] : null
  return typeof id === 'number' || typeof id === 'string' ? id : null
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the version of a single row as an entity tag. Undefined for lists and for rows without a version. */
export function getEtag(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('row_version' in body)) return undefined
  return `"${String(body.row_version)}"`
}
