/**
 * One row of the table of everything that can be asked. Server, page, worker, tests and the OpenAPI document all read
 * these rows; a trait is data, so that what works offline can be seen without reading code.
 */
import * as z from 'zod/mini'
import type { AccessRule } from '#domain/access.ts'
import type { RowNames } from '#domain/row-names.ts'

// zod would otherwise compile its parsers with `new Function`, which the page's CSP forbids.
z.config({ jitless: true })

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type ObjectSchema = z.ZodMiniObject
export type ValueSchema = z.ZodMiniType

/** An id, or `~{intent}`: a row named by the write that makes it (protocol 17). */
export type Intent = string
export type RowRef = number | `~${Intent}`

/** What an id points to; the server resolves `~{intent}` to a row of that kind only. */
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

/** Filters are data: the server turns them into SQL, the device into a predicate over its rows, from the same words. */
export type ListFilter =
  /** `or`: given this value, rows with one of those in the other column are meant too. A dot leads into an object. */
  | { kind: 'equal'; column: string; or?: { value: number | string; column: string; values: readonly string[] } }
  /** Rows whose column holds `value` stay hidden unless this parameter is true or another filter asks for that value. */
  | { kind: 'shows'; column: string; value: number | string | boolean }
  | { kind: 'contains'; columns: readonly string[] }
  | { kind: 'from' | 'until'; column: string }

/** text sorts by its folded key (domain/text.ts), the others by value; nulls last both ways, ties by id. */
export type SortKind = 'text' | 'number' | 'flag' | 'time'

export interface ListSpec {
  /** Table on the device, and kind of row. */
  table: string
  row: ObjectSchema
  sorts: Record<string, SortKind>
  sort: readonly [field: string, order: 'asc' | 'desc']
  filters: Record<string, ListFilter>
  /** Names the part of the table that one list shows: the company, the service. Null: all there is. */
  scope: { column: string; param: string } | null
}

export interface VersionedRow {
  id: RowRef
  row_version: number
}

export interface QueueSpec<A> {
  /** The kind of row it is about; with the target it makes the lane, in which order is kept. */
  kind: RowKind
  table: string
  /** Null: it makes a row, which is named `~{intent}` until it has an id. */
  target: (input: A) => RowRef | null
  /** The row as it will look; null: the row goes. Laid over the server's rows at read time, never stored in them. */
  overlay: (row: VersionedRow | null, input: A, write: { intent: Intent; companyId: number }) => VersionedRow | null
  /** Sends If-Match with the version it was based on. */
  versioned: boolean
  /** Two of them that never left may go as one, the later fields over the earlier: each field stands by itself, nothing
   * follows from a value that was there only in between. */
  merges?: true
  names?: RowNames
  /** Inputs for which it must not be queued after all (flags that change access). */
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
  /** The name under which handlers, callers and the OpenAPI document know it. */
  name: string
  method: HttpMethod
  /** Whole path; `:name` marks a parameter. */
  path: `/api/${string}` | `/public/${string}`
  summary: string
  /** For the OpenAPI document, where the schemas do not say how to use it. Markdown. */
  description?: string
  access: AccessRule
  /** Rows of the authorization matrix it belongs to. */
  matrix: string
  params?: P
  query?: Q
  body?: B
  /** How the body travels; JSON is understood besides `form`. */
  encoding?: 'form' | 'multipart'
  /** Files of up to so many bytes are in its form, too large to be held in memory. */
  fileBytes?: number
  /** Null: 204, nothing comes back. */
  output: O
  /** Offline policy in one word, as the table of calls states it. */
  offline: 'list' | 'read' | 'queue' | 'online' | 'relay' | 'none'
  list?: ListSpec
  // biome-ignore: the row's own functions know their input; whoever walks the table does not.
  queue?: QueueSpec<never>
  /** Names the job that does it: 202 and a place to look. */
  job?: string
  /** Never in the idempotency store, never through the worker, never in a log: passwords, tokens, one-time keys. */
  secret?: true
  /**
   * What is dangerous enough to ask for the password again, where the operator turned that on (S-48). `row`: the service decides,
   * by the row that it finds (`requirePassword`).
   */
  // biome-ignore: as in `queues`.
  stepUp?: ((input: never) => boolean) | 'row'
  /** Answers something else than JSON. */
  responseType?: 'bytes' | 'html'
}

const endpointsByName = new Map<string, Endpoint>()

/**
 * An endpoint by its name, if its noun's file has been loaded. Whoever must know them all imports `contract/index.ts`; a
 * page that shows one noun carries that noun's calls and no others.
 */
export const findEndpoint = (name: string): Endpoint | undefined => endpointsByName.get(name)

/** Declares a list that no call fills page by page: the device is asked to keep it, and gets it by a stream. */
export function declareStoredList(list: ListSpec): ListSpec {
  // Under a name that no endpoint has.
  endpointsByName.set(`kept ${list.table}`, { list } as Endpoint)
  return list
}

/** What fills a table of the device, under the same condition. */
export const findListSpec = (table: string): ListSpec | undefined =>
  [...endpointsByName.values()].find((endpoint) => endpoint.list?.table === table)?.list

/** Declares one endpoint. The functions in `queues` are typed by its own schemas. */
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

/** What a server handler is given: everything parsed. */
export type ParsedInputOf<E> =
  E extends Endpoint<infer P, infer Q, infer B, ValueSchema | null>
    ? {
        params: P extends z.ZodMiniType ? z.output<P> : Record<never, never>
        query: Q extends z.ZodMiniType ? z.output<Q> : Record<never, never>
        body: B extends z.ZodMiniType ? z.output<B> : undefined
      }
    : never
