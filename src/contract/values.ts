import * as z from 'zod/mini'
import { findHiddenCharacter, oneLinePattern, findBidiControl } from '#domain/text.ts'
import { type ListSpec, type RowRef, type RowKind, type ValueSchema, type ObjectSchema } from '#contract/endpoint.ts'

const kinds = new WeakMap<object, RowKind>()

/**
 * Schema of an id of this kind, or of `~{intent}` of the write that creates the row. The server resolves `~{intent}` only in `ref` fields.
 */
export function ref(kind: RowKind) {
  const schema = z.union([
    z.int().check(z.positive(), z.lte(2_147_483_647)),
    z.templateLiteral(['~', z.guid()]) as unknown as z.ZodMiniType<`~${string}`, `~${string}`>,
  ])
  kinds.set(schema, kind)
  return schema as z.ZodMiniType<RowRef, RowRef>
}

/** Returns the row kind of a `ref` schema, also if the schema is optional or nullable. Returns undefined for other schemas. */
export function getRefKind(schema: ValueSchema): RowKind | undefined {
  const kind = kinds.get(schema)
  if (kind) return kind
  const innerSchema = (schema as unknown as { _zod: { def: { innerType?: ValueSchema } } })._zod.def.innerType
  return innerSchema ? getRefKind(innerSchema) : undefined
}

export const text = (max: number, min = 0) => z.string().check(z.minLength(min), z.maxLength(max))
/** Text of one line, for values that are displayed in lists, mails and headings together with other texts. */
export const line = (max: number, min = 0) => text(max, min).check(z.regex(oneLinePattern))
/** A new name without hidden characters. For changed names the use case compares with the previous name. */
export const nameLine = (max: number, min = 0) =>
  line(max, min).check(z.refine((value) => findHiddenCharacter(value) === null))
/** Text of several lines. It must not contain characters that change the direction of the following text. */
export const paragraph = (max: number) => text(max).check(z.refine((value) => findBidiControl(value) === null))
/** An idempotency key or an intent. It starts with a word character, because URL parsers remove a segment of dots. */
export const key = z.string().check(z.minLength(1), z.maxLength(200), z.regex(/^~?\w[\w.~:-]*$/))
export const amount = z.string().check(z.regex(/^-?\d{1,13}\.\d{2}$/))
export const plainDate = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/))
export const month = z.string().check(z.regex(/^\d{4}-\d{2}$/))
export const timestamp = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/))
/** Minute precision: `yyyy-MM-dd HH:mm`, optionally with `:00` seconds. The output always has seconds. */
export const minuteTimestamp = z.pipe(
  z.string().check(z.regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}(:00)?$/)),
  z.transform((text) => text.padEnd(19, ':00')),
)
export const flag01 = z.union([z.literal(0), z.literal(1)])
export const integerBetween = (min: number, max: number) => z.int().check(z.gte(min), z.lte(max))
export const clientType = z.enum(['saas', 'mma'])
export const currency = z.enum(['HKD', 'USD', 'RMB'])
export const userMode = z.enum(['CONCURRENT', 'NAMED'])
/** 3 to 16 characters. It becomes a host name (contracts 5, D37). */
export const serviceCode = z.string().check(z.regex(/^[a-z][a-z0-9]{2,15}$/))
/** Code of a module or an app (contracts 5, D80). */
export const wordCode = z.string().check(z.minLength(1), z.maxLength(60), z.regex(/^\w+$/))
/** Asset, resource and request ids are random strings, never numbers. */
export const randomId = z.string().check(z.minLength(8), z.maxLength(64), z.regex(/^[\w-]+$/))
/** Id of a row that cannot be the target of a queued write. */
export const rowId = z.int().check(z.positive(), z.lte(2_147_483_647))
/** Id of a stored file, or the intent of an upload that is not sent yet (protocol 17, 22). */
export const assetRef = z.union([
  randomId,
  z.templateLiteral(['~', z.guid()]) as unknown as z.ZodMiniType<string, string>,
])
kinds.set(assetRef, 'asset')
/** Whether a record exists (portal 7: truthy when it exists, D58). */
export const exists = z.boolean()

/** Query of a paged list (D63) with its own filters. `since` requests only changes (protocol 34). */
export const pageQuery = <F extends z.core.$ZodLooseShape>(sorts: readonly [string, ...string[]], filters: F) =>
  z.object({
    results: z._default(integerBetween(1, 50), 10),
    page: z._default(integerBetween(1, 1_000_000), 1),
    sortField: z.optional(z.enum(sorts)),
    sortOrder: z.optional(z.enum(['asc', 'desc', 'ascend', 'descend'])),
    since: z.optional(z.union([integerBetween(0, Number.MAX_SAFE_INTEGER), z.literal('')])),
    ...filters,
  })

/** A page of rows. With `more`, the count is a lower bound. */
export const pageOutput = <R extends ObjectSchema>(row: R) =>
  z.object({ count: z.int(), data: z.array(row), more: z.optional(z.literal(true)) })

/** Changes since a number: the current rows, the ids of deleted rows, and the number for the next request. */
export const changesOutput = <R extends ObjectSchema>(row: R) =>
  z.object({ changed: z.array(row), gone: z.array(z.int()), upto: z.int() })

export const getSortNames = (list: Pick<ListSpec, 'sorts'>) => Object.keys(list.sorts) as [string, ...string[]]
