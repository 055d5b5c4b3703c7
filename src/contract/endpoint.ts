/** Definition of an endpoint, shared by server, page, worker, tests and OpenAPI document. Traits are plain data. */
import * as z from 'zod/mini'
import type { AccessRule } from '#domain/access.ts'
import type { RowNames } from '#domain/row-names.ts'

// zod would otherwise compile its parsers with `new Function`, which the page's CSP forbids.
z.config({ jitless: true })

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type ObjectSchema = z.ZodMiniObject
export type ValueSchema = z.ZodMiniType

/** An id, or `~{intent}` for a row that the write with this intent creates (protocol 17). */
export type Intent = string
export type RowRef = number | `~${Intent}`

/** Kinds of rows that an id can refer to. The server resolves `~{intent}` only to a row of the declared kind. */
export type RowKind =
  | 'user'
  | 'company'
  | 'asset'
  | 'order'
  | 'contract'
  | 'service'
  | 'price'
  | 'module'
  | 'backup'
  | 'traffic'

/** Filters are data: the server turns them into SQL, the device into a predicate over its rows. */
export type ListFilter =
  /**
   * `or`: if the filter has the value `or.value`, rows whose column `or.column` has one of `or.values` match too. A dot in a column name
   * reads a nested field.
   */
  | { kind: 'equal'; column: string; or?: { value: number | string; column: string; values: readonly string[] } }
  /** Rows whose column has `value` are hidden unless this parameter is true or another filter asks for that value. */
  | { kind: 'shows'; column: string; value: number | string | boolean }
  /** Rows whose column has `value` are left out if this parameter is true. */
  | { kind: 'hides'; column: string; value: number | string }
  | { kind: 'contains'; columns: readonly string[] }
  | { kind: 'from' | 'until'; column: string }

/**
 * How a column is sorted: `text` by its normalised key (domain/text.ts), other kinds by value. Nulls are always last, and equal values are
 * sorted by id.
 */
export type SortKind = 'text' | 'number' | 'flag' | 'time'

export interface ListSpec {
  table: string
  row: ObjectSchema
  sorts: Record<string, SortKind>
  sort: readonly [field: string, order: 'asc' | 'desc']
  filters: Record<string, ListFilter>
  /** Column and parameter of the company or service that one list shows. Null if it shows the whole table. */
  scope: { column: string; param: string } | null
}

export interface VersionedRow {
  id: RowRef
  row_version: number
}

export interface QueueSpec<A> {
  /** Kind of the written row. Kind and target form the queue key, which keeps entries in order. */
  kind: RowKind
  table: string
  /** Returns null if the write creates a row. The row is named `~{intent}` until it has an id. */
  target: (input: A) => RowRef | null
  /**
   * Returns the row with the write applied, or null if the write deletes the row. Applied when the row is read; the result is never stored.
   */
  overlay: (row: VersionedRow | null, input: A, write: { intent: Intent; companyId: number }) => VersionedRow | null
  versioned: boolean
  /** True if unsent writes may be merged: later fields replace earlier ones. Allowed only if no field depends on another. */
  merges?: true
  /** Returns the fields that the row does not allow to change. After a conflict, a change of one of them is not merged: the user decides. */
  getLockedFields?: (row: VersionedRow) => ReadonlySet<string>
  names?: RowNames
  mustNotQueue?: (input: A) => boolean
}

export type EndpointInput<P, Q, B> = (P extends z.ZodMiniType ? { params: z.output<P> } : unknown) &
  (Q extends z.ZodMiniType ? { query?: Partial<z.output<Q>> } : unknown) &
  (B extends z.ZodMiniType ? { body: z.input<B> } : unknown)

export interface Endpoint<
  P extends ObjectSchema | undefined = ObjectSchema | undefined,
  Q extends ObjectSchema | undefined = ObjectSchema | undefined,
  B extends ValueSchema | undefined = ValueSchema | undefined,
  O extends ValueSchema | null = ValueSchema | null,
> {
  name: string
  method: HttpMethod
  /** Full path; `:name` marks a parameter. */
  path: `/api/${string}` | `/public/${string}`
  summary: string
  description?: string
  access: AccessRule
  matrix: string
  params?: P
  query?: Q
  body?: B
  /** Encoding of the body. With `form`, JSON is accepted too. */
  encoding?: 'form' | 'multipart'
  /** Maximum file size in bytes, for multipart calls whose files are too large to hold in memory. */
  fileBytes?: number
  /** Maximum size of a JSON body in bytes, for a call that needs more than the usual megabyte. */
  jsonBytes?: number
  /** Null for 204 without a body. */
  output: O
  offline: 'list' | 'read' | 'queue' | 'online' | 'relay' | 'none'
  list?: ListSpec
  // biome-ignore: an endpoint's own functions know their input type; code that iterates over all endpoints does not.
  queue?: QueueSpec<never>
  /** Name of the job that does the work. The endpoint returns 202 with a request id. */
  job?: string
  /** For passwords, tokens and one-time keys: the call bypasses the idempotency store and the worker, and is never logged. */
  secret?: true
  /** Inputs that need the password again, if enabled (S-48). `row`: the use case decides (`requirePassword`). */
  // biome-ignore: same reason as for `queue`.
  stepUp?: ((input: never) => boolean) | 'row'
  responseType?: 'bytes' | 'html'
}

const endpointsByName = new Map<string, Endpoint>()

/** Finds an endpoint if its contract file is loaded. `contract/index.ts` loads all; a page loads only its nouns. */
export const findEndpoint = (name: string): Endpoint | undefined => endpointsByName.get(name)

/** Declares a list that no endpoint fills page by page. A stream delivers it when the user stores it. */
export function declareStoredList(list: ListSpec): ListSpec {
  endpointsByName.set(`kept ${list.table}`, { list } as Endpoint)
  return list
}

/** Returns the list spec of a device table, if the contract file of its noun has been loaded. */
export const findListSpec = (table: string): ListSpec | undefined =>
  [...endpointsByName.values()].find((endpoint) => endpoint.list?.table === table)?.list

export function defineEndpoint<
  P extends ObjectSchema | undefined = undefined,
  Q extends ObjectSchema | undefined = undefined,
  B extends ValueSchema | undefined = undefined,
  O extends ValueSchema | null = null,
>(spec: Omit<Endpoint<P, Q, B, O>, 'queue'> & { queue?: QueueSpec<EndpointInput<P, Q, B>> }): Endpoint<P, Q, B, O> {
  const endpoint = spec as Endpoint<P, Q, B, O>
  endpointsByName.set(endpoint.name, endpoint as unknown as Endpoint)
  return endpoint
}

export type InputOf<E> =
  E extends Endpoint<infer P, infer Q, infer B, ValueSchema | null> ? EndpointInput<P, Q, B> : never
export type OutputOf<E> =
  E extends Endpoint<ObjectSchema | undefined, ObjectSchema | undefined, ValueSchema | undefined, infer O>
    ? O extends ValueSchema
      ? z.output<O>
      : null
    : never

export type ParsedInputOf<E> =
  E extends Endpoint<infer P, infer Q, infer B, ValueSchema | null>
    ? {
        params: P extends z.ZodMiniType ? z.output<P> : Record<never, never>
        query: Q extends z.ZodMiniType ? z.output<Q> : Record<never, never>
        body: B extends z.ZodMiniType ? z.output<B> : undefined
      }
    : never
