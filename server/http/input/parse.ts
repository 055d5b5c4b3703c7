/**
 * What was sent, against the endpoint's schemas (S-01, S-02, S-03): path, query and form by declared type, JSON as it
 * stands, unknown fields taken out and counted before a handler sees anything.
 */
import type { IncomingHttpHeaders } from 'node:http'
import * as z from 'zod/mini'
import type { FieldCode, FieldProblem } from '#domain/checks/field-checks.ts'
import { hiddenCharacterIn } from '#domain/text.ts'
import type { Endpoint, ParsedInputOf, Schema, Shape } from '#contract/endpoint.ts'
import { fromPairs } from '#contract/http-mapping.ts'
import { malformed, readJson } from '#server/http/input/json.ts'
import { inputLimits } from '#server/config/input-limits.ts'
import { ReceivedFile, type ReceivedPart } from '#server/http/input/multipart.ts'
import { StoredFile } from '#server/http/input/stored-parts.ts'
import { invalid, ProblemError } from '#server/problems/problem-error.ts'

/** A request's parts as they came, before any schema. */
export interface Received {
  params: Record<string, string>
  query: [string, string][]
  body: ReceivedBody
}
/** `pairs`: a form. `parts`: one with files. `none`: nothing was sent. */
export type ReceivedBody =
  | { kind: 'none' }
  | { kind: 'json'; value: unknown }
  | { kind: 'pairs'; pairs: [string, string][] }
  | { kind: 'parts'; parts: ReceivedPart[] }

/** A header sent twice is joined by Node or kept as a list; neither is a value of ours. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(',') : value
}

export const queryPairs = (url: string): [string, string][] => {
  const at = url.indexOf('?')
  return at < 0 ? [] : readPairs(url.slice(at + 1), inputLimits.queryPairs)
}

/** Throws VALIDATION_ERROR for more pairs than `limit`, before any is read, and for a name that is too long. */
function readPairs(text: string, limit: number): [string, string][] {
  let count = 1
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1))
    if (++count > limit) throw invalid([wrong('', 'TOO_MANY', limit)])
  const pairs = [...new URLSearchParams(text)]
  const { nameLength } = inputLimits
  const long = pairs.find(([name]) => name.length > nameLength)
  if (long) throw invalid([wrong(long[0], 'TOO_LONG', nameLength)])
  return pairs
}

/** Exact: a media type that only looks like JSON is not parsed as JSON (S-03). */
const jsonType = /^application\/json(; ?charset=utf-8)?$/i

/** With whatever parameters, as a form has none of its own: Alipay sends `; text/html; charset=utf-8`. Only another charset is refused. */
function isFormType(contentType: string): boolean {
  const [type, ...parameters] = contentType.toLowerCase().split(';', 8)
  const charsets = parameters.flatMap((one) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(one)?.[1] ?? [])
  return (
    type?.trim() === 'application/x-www-form-urlencoded' && charsets.every((one) => one === 'utf-8' || one === 'utf8')
  )
}

/** Throws UNSUPPORTED_TYPE where the type is not one the endpoint takes. */
export function readBody(endpoint: Endpoint, contentType: string | undefined, bytes: Buffer | null): ReceivedBody {
  if (!endpoint.body) return { kind: 'none' }
  // A form without any field has no bytes.
  if (bytes === null || bytes.length === 0)
    return endpoint.encoding === 'form' ? { kind: 'pairs', pairs: [] } : { kind: 'none' }
  const type = contentType ?? ''
  const form = endpoint.encoding === 'form' && isFormType(type)
  if (!form && !jsonType.test(type)) throw new ProblemError('UNSUPPORTED_TYPE')
  const text = decode(bytes)
  return form ? { kind: 'pairs', pairs: readPairs(text, inputLimits.pairs) } : { kind: 'json', value: readJson(text) }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw malformed('')
  }
}

export interface Parsed<E extends Endpoint = Endpoint> {
  input: ParsedInputOf<E>
  /** How many fields were sent that the endpoint does not know. */
  strays: number
}

/** Throws VALIDATION_ERROR with the fields that are wrong, up to 50 of them. */
export function parseInput<E extends Endpoint>(endpoint: E, received: Received): Parsed<E> {
  const params = parsePairs(endpoint.params, Object.entries(received.params), false)
  const query = parsePairs(endpoint.query, received.query, true)
  const body = parseBody(endpoint, received.body)
  const problems = [...params.problems, ...query.problems, ...body.problems]
  if (problems.length > 0) throw invalid(problems)
  const unkeepable: FieldProblem[] = []
  for (const value of [params.value, query.value, body.value]) findUnkeepable(value, '', unkeepable)
  if (unkeepable.length > 0) throw invalid(unkeepable)
  // The parts were parsed by the schemas that InputOf is derived from.
  const input = { params: params.value ?? {}, query: query.value ?? {}, body: body.value } as ParsedInputOf<E>
  return { input, strays: params.strays + query.strays + body.strays }
}

interface Part {
  value: unknown
  problems: FieldProblem[]
  strays: number
}
const nothing: Part = { value: undefined, problems: [], strays: 0 }

function parseBody(endpoint: Endpoint, body: ReceivedBody): Part {
  if (!endpoint.body) return nothing
  // Only an object schema is sent as a form.
  if (body.kind === 'pairs') return parsePairs(endpoint.body as Shape, body.pairs, false)
  if (body.kind === 'parts') return parseParts(endpoint.body, body.parts)
  return parse(endpoint.body, body.kind === 'json' ? body.value : undefined)
}

function parseParts(schema: Schema, parts: ReceivedPart[]): Part {
  const seen = new Set<string>()
  const twice: string[] = []
  for (const [name] of parts) {
    if (seen.has(name)) twice.push(name)
    seen.add(name)
  }
  const parsed = parse(schema, Object.fromEntries(parts))
  return { ...parsed, problems: [...twice.map((field) => wrong(field, 'DUPLICATE')), ...parsed.problems] }
}

function parsePairs(shape: Shape | undefined, pairs: [string, string][], emptyIsNone: boolean): Part {
  if (!shape) return { ...nothing, strays: pairs.length }
  const given = emptyIsNone ? pairs.filter(([name, value]) => value !== '' || knowsEmpty(shape, name)) : pairs
  const { values, repeated } = fromPairs(shape, given)
  const parsed = parse(shape, values)
  return { ...parsed, problems: [...repeated.map((field) => wrong(field, 'DUPLICATE')), ...parsed.problems] }
}

function knowsEmpty(shape: Shape, name: string): boolean {
  const fields = shape.shape as Record<string, Schema>
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  return field !== undefined && z.safeParse(field, '').success
}

/** As a schema leaves it; of the members of a union it is complete. */
type Issue = z.core.$ZodRawIssue | z.core.$ZodIssue

interface ParseResult {
  value: unknown
  issues: Issue[]
}

/**
 * Not by `safeParse`: that one makes an error of each issue and a text of all of them, for whoever sends thousands of wrong rows.
 */
function parse(schema: Schema, value: unknown): Part {
  const { value: parsed, issues } = schema._zod.run({ value, issues: [] }, { async: false }) as ParseResult
  if (issues.length === 0) return { value: parsed, problems: [], strays: straysIn(value, parsed) }
  return { value: undefined, problems: firstProblems(issues, value), strays: 0 }
}

/** One for each field, up to the limit of a refusal. */
function firstProblems(issues: readonly Issue[], value: unknown): FieldProblem[] {
  const byField = new Map<string, FieldProblem>()
  for (const issue of issues) {
    for (const one of closest(issue)) {
      const problem = problemOf(one, value)
      byField.set(problem.field, problem)
    }
    if (byField.size > inputLimits.problems) break
  }
  return [...byField.values()]
}

/** Of a body that may be one of several: what is wrong with the one that it comes nearest to. */
function closest(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.path?.length) return [issue]
  const [fewest] = issue.errors.toSorted((a, b) => a.length - b.length)
  return fewest && fewest.length > 0 ? fewest : [issue]
}

/** Compared by their bytes and never stored, so any character may stand in them (S-27). */
const passwordFields = new Set(['password', 'orgPwd', 'newPwd', 'pwd', 'user_password', 'confirmPwd'])

/** Text that no database column holds as it came: NUL, and halves of characters (F-03). Adds to `problems`, up to their limit. */
function findUnkeepable(value: unknown, field: string, problems: FieldProblem[]): void {
  if (problems.length >= inputLimits.problems) return
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) problems.push(wrong(field, 'INVALID_FORMAT'))
    return
  }
  if (typeof value !== 'object' || value === null || isFile(value)) return
  for (const name of Object.keys(value))
    if (!passwordFields.has(name))
      findUnkeepable((value as Record<string, unknown>)[name], field === '' ? name : `${field}.${name}`, problems)
}

const isFile = (value: unknown) => value instanceof ReceivedFile || value instanceof StoredFile

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const straysIn = (given: unknown, kept: unknown): number =>
  isRecord(given) && isRecord(kept) ? Object.keys(given).filter((name) => !Object.hasOwn(kept, name)).length : 0

const wrong = (field: string, code: FieldCode, limit?: number): FieldProblem =>
  limit === undefined ? { field, code } : { field, code, limit }

function problemOf(issue: Issue, value: unknown): FieldProblem {
  const path = issue.path ?? []
  const field = path.join('.')
  const sent = path.reduce<unknown>((at, name) => (at as Record<PropertyKey, unknown> | null)?.[name], value)
  if (sent === undefined || sent === null) return wrong(field, 'REQUIRED')
  if (issue.code === 'too_small') {
    const limit = Number(issue.minimum)
    if (issue.origin !== 'string') return wrong(field, 'OUT_OF_RANGE', limit)
    return sent === '' ? wrong(field, 'REQUIRED') : wrong(field, 'TOO_SHORT', limit)
  }
  if (issue.code === 'too_big')
    return wrong(field, issue.origin === 'string' ? 'TOO_LONG' : 'OUT_OF_RANGE', Number(issue.maximum))
  const unseen = typeof sent === 'string' ? hiddenCharacterIn(sent) : null
  if (unseen) return { field, code: 'HIDDEN_CHARACTER', named: unseen }
  return wrong(field, issue.code === 'invalid_value' ? 'OUT_OF_RANGE' : 'INVALID_FORMAT')
}
