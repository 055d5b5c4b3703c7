/** The values that calls are made of, once: ids, references, pages, amounts, dates, flags. */
import * as z from 'zod/mini'
import { findHiddenCharacter, oneLinePattern, findBidiControl } from '#domain/text.ts'
import { type ListSpec, type RowRef, type RowKind, type ValueSchema, type ObjectSchema } from '#contract/endpoint.ts'

const kinds = new WeakMap<object, RowKind>()

/** An id of that kind, or `~{intent}` of the write that makes it. Only where this stands is a name resolved. */
export function ref(kind: RowKind) {
  const schema = z.union([
    z.int().check(z.positive(), z.lte(2_147_483_647)),
    z.templateLiteral(['~', z.guid()]) as unknown as z.ZodMiniType<`~${string}`, `~${string}`>,
  ])
  kinds.set(schema, kind)
  return schema as z.ZodMiniType<RowRef, RowRef>
}

/** The kind that a `ref` schema points to, through optional and nullable; undefined for all other schemas. */
export function getRefKind(schema: ValueSchema): RowKind | undefined {
  const kind = kinds.get(schema)
  if (kind) return kind
  const innerSchema = (schema as unknown as { _zod: { def: { innerType?: ValueSchema } } })._zod.def.innerType
  return innerSchema ? getRefKind(innerSchema) : undefined
}

export const text = (max: number, min = 0) => z.string().check(z.minLength(min), z.maxLength(max))
/** Of one line: what stands in lists, mails and headings beside texts of other people. */
export const line = (max: number, min = 0) => text(max, min).check(z.regex(oneLinePattern))
/** Of a name that is set once: no character that nobody sees. Where a name is changed, the service compares it with the one before. */
export const nameLine = (max: number, min = 0) =>
  line(max, min).check(z.refine((value) => findHiddenCharacter(value) === null))
/** Of several lines: nothing that turns the direction of what follows. */
export const paragraph = (max: number) => text(max).check(z.refine((value) => findBidiControl(value) === null))
/** Starts with a word letter: a segment of dots alone would be folded away by every URL parser. */
export const key = z.string().check(z.minLength(1), z.maxLength(200), z.regex(/^~?\w[\w.~:-]*$/))
export const amount = z.string().check(z.regex(/^-?\d{1,13}\.\d{2}$/))
export const plainDate = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/))
export const month = z.string().check(z.regex(/^\d{4}-\d{2}$/))
export const timestamp = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/))
/** Of minute precision: `yyyy-MM-dd HH:mm`, also with `:00` seconds, which it gets in any case. */
export const minuteTimestamp = z.pipe(
  z.string().check(z.regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}(:00)?$/)),
  z.transform((text) => text.padEnd(19, ':00')),
)
export const flag01 = z.union([z.literal(0), z.literal(1)])
export const integerBetween = (min: number, max: number) => z.int().check(z.gte(min), z.lte(max))
export const clientType = z.enum(['saas', 'mma'])
export const currency = z.enum(['HKD', 'USD', 'RMB'])
export const userMode = z.enum(['CONCURRENT', 'NAMED'])
/** 3 to 16 characters; it becomes a host name (contracts 5, D37). */
export const serviceCode = z.string().check(z.regex(/^[a-z][a-z0-9]{2,15}$/))
/** What a code of a module or an app may look like (contracts 5, D80). */
export const wordCode = z.string().check(z.minLength(1), z.maxLength(60), z.regex(/^\w+$/))
/** Asset, resource and request ids are random strings, never numbers. */
export const randomId = z.string().check(z.minLength(8), z.maxLength(64), z.regex(/^[\w-]+$/))
/** A row's id where no waiting write can be meant. */
export const rowId = z.int().check(z.positive(), z.lte(2_147_483_647))
/** A stored file by the server's word for it, or by the upload that is still to bring it (protocol 17, 22). */
export const assetRef = z.union([
  randomId,
  z.templateLiteral(['~', z.guid()]) as unknown as z.ZodMiniType<string, string>,
])
kinds.set(assetRef, 'asset')
/** Where only the fact counts (portal 7: truthy when it exists, D58). */
export const exists = z.boolean()

/** The query of a paged list (D63), with its own filters beside. `since` asks for changes only (protocol 34). */
export const pageQuery = <F extends z.core.$ZodLooseShape>(sorts: readonly [string, ...string[]], filters: F) =>
  z.object({
    results: z._default(integerBetween(1, 50), 10),
    page: z._default(integerBetween(1, 1_000_000), 1),
    sortField: z.optional(z.enum(sorts)),
    sortOrder: z.optional(z.enum(['asc', 'desc', 'ascend', 'descend'])),
    since: z.optional(z.union([integerBetween(0, Number.MAX_SAFE_INTEGER), z.literal('')])),
    ...filters,
  })

/** A page of rows; `more`: the count is a lower bound. */
export const pageOutput = <R extends ObjectSchema>(row: R) =>
  z.object({ count: z.int(), data: z.array(row), more: z.optional(z.literal(true)) })

/** What changed since a number: rows as they are now, ids that are gone, and the number to ask with next. */
export const changesOutput = <R extends ObjectSchema>(row: R) =>
  z.object({ changed: z.array(row), gone: z.array(z.int()), upto: z.int() })

export const getSortNames = (list: Pick<ListSpec, 'sorts'>) => Object.keys(list.sorts) as [string, ...string[]]
