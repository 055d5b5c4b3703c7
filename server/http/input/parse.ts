/**
 * Parses a request with the endpoint's schemas (S-01, S-02, S-03). Values of path, query and form are converted to the type of their field;
 * values of JSON are not. Unknown fields are removed and counted before a handler runs.
 */
import type { IncomingHttpHeaders } from 'node:http'
import * as z from 'zod/mini'
import type { FieldCode, FieldProblem } from '#domain/checks/field-checks.ts'
import { findHiddenCharacter } from '#domain/text.ts'
import type { Endpoint, ParsedInputOf, ValueSchema, ObjectSchema } from '#contract/endpoint.ts'
import { convertPairs } from '#contract/http-mapping.ts'
import { createMalformedProblem, readJson } from '#server/http/input/json.ts'
import { inputLimits } from '#server/config/input-limits.ts'
import { ReceivedFile, type ReceivedPart } from '#server/http/input/multipart-form.ts'
import { StoredFile } from '#server/http/input/stored-parts.ts'
import { createValidationProblem, ProblemError } from '#server/problems/problem-error.ts'

export interface RequestParts {
  params: Record<string, string>
  query: [string, string][]
  body: ReceivedBody
}
/** `pairs`: a form. `parts`: a form with files. `none`: an empty body. */
export type ReceivedBody =
  | { kind: 'none' }
  | { kind: 'json'; value: unknown }
  | { kind: 'pairs'; pairs: [string, string][] }
  | { kind: 'parts'; parts: ReceivedPart[] }

/** Returns the header as one text. A repeated header becomes a text that no header of the portal allows. */
export function getHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(',') : value
}

export const readQueryPairs = (url: string): [string, string][] => {
  const index = url.indexOf('?')
  return index < 0 ? [] : readPairs(url.slice(index + 1), inputLimits.queryPairs)
}

/** Throws VALIDATION_ERROR before parsing if there are more pairs than `limit`, or if a name is too long. */
function readPairs(text: string, limit: number): [string, string][] {
  let count = 1
  for (let index = text.indexOf('&'); index >= 0; index = text.indexOf('&', index + 1))
    if (++count > limit) throw createValidationProblem([createFieldProblem('', 'TOO_MANY', limit)])
  const pairs = [...new URLSearchParams(text)]
  const { nameLength } = inputLimits
  const longPair = pairs.find(([name]) => name.length > nameLength)
  if (longPair) throw createValidationProblem([createFieldProblem(longPair[0], 'TOO_LONG', nameLength)])
  return pairs
}

/** Accepted content type of JSON. Similar media types are not parsed as JSON (S-03). */
const jsonType = /^application\/json(; ?charset=utf-8)?$/i

/** Returns true for a form. Alipay sends `; text/html; charset=utf-8`, so any parameters are accepted, except another charset. */
function isFormType(contentType: string): boolean {
  const [type, ...parameters] = contentType.toLowerCase().split(';', 8)
  const charsets = parameters.flatMap((parameter) => /^charset\s*=\s*"?([^"\s]*)"?$/.exec(parameter.trim())?.[1] ?? [])
  return (
    type?.trim() === 'application/x-www-form-urlencoded' &&
    charsets.every((charset) => charset === 'utf-8' || charset === 'utf8')
  )
}

/** Throws UNSUPPORTED_TYPE if the endpoint does not accept the content type, and VALIDATION_ERROR if the body is malformed. */
export function readBody(endpoint: Endpoint, contentType: string | undefined, bytes: Buffer | null): ReceivedBody {
  if (!endpoint.body) return { kind: 'none' }
  // A form without fields has an empty body.
  if (bytes === null || bytes.length === 0)
    return endpoint.encoding === 'form' ? { kind: 'pairs', pairs: [] } : { kind: 'none' }
  const type = contentType ?? ''
  const isForm = endpoint.encoding === 'form' && isFormType(type)
  if (!isForm && !jsonType.test(type)) throw new ProblemError('UNSUPPORTED_TYPE')
  const text = decode(bytes)
  return isForm ? { kind: 'pairs', pairs: readPairs(text, inputLimits.pairs) } : { kind: 'json', value: readJson(text) }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw createMalformedProblem('')
  }
}

export interface ParsedRequest<E extends Endpoint = Endpoint> {
  input: ParsedInputOf<E>
  unknownFieldCount: number
}

/** Throws VALIDATION_ERROR with the invalid fields, at most 50. */
export function parseInput<E extends Endpoint>(endpoint: E, requestParts: RequestParts): ParsedRequest<E> {
  const params = parsePairs(endpoint.params, Object.entries(requestParts.params), false)
  const query = parsePairs(endpoint.query, requestParts.query, true)
  const body = parseBody(endpoint, requestParts.body)
  const problems = [...params.problems, ...query.problems, ...body.problems]
  if (problems.length > 0) throw createValidationProblem(problems)
  const unstorable: FieldProblem[] = []
  for (const value of [params.value, query.value, body.value]) findUnstorable(value, '', unstorable)
  if (unstorable.length > 0) throw createValidationProblem(unstorable)
  // The cast is safe: the parts were parsed with the schemas from which the type is derived.
  const input = { params: params.value ?? {}, query: query.value ?? {}, body: body.value } as ParsedInputOf<E>
  return { input, unknownFieldCount: params.unknownFieldCount + query.unknownFieldCount + body.unknownFieldCount }
}

interface ParseOutcome {
  value: unknown
  problems: FieldProblem[]
  unknownFieldCount: number
}
const emptyOutcome: ParseOutcome = { value: undefined, problems: [], unknownFieldCount: 0 }

function parseBody(endpoint: Endpoint, body: ReceivedBody): ParseOutcome {
  if (!endpoint.body) return emptyOutcome
  if (body.kind === 'pairs') return parsePairs(endpoint.body as ObjectSchema, body.pairs, false)
  if (body.kind === 'parts') return parseParts(endpoint.body, body.parts)
  return parseValue(endpoint.body, body.kind === 'json' ? body.value : undefined)
}

function parseParts(schema: ValueSchema, parts: ReceivedPart[]): ParseOutcome {
  const seenNames = new Set<string>()
  const duplicateNames: string[] = []
  for (const [name] of parts) {
    if (seenNames.has(name)) duplicateNames.push(name)
    seenNames.add(name)
  }
  const outcome = parseValue(schema, Object.fromEntries(parts))
  return {
    ...outcome,
    problems: [...duplicateNames.map((field) => createFieldProblem(field, 'REPEATED')), ...outcome.problems],
  }
}

function parsePairs(shape: ObjectSchema | undefined, pairs: [string, string][], isEmptyOmitted: boolean): ParseOutcome {
  if (!shape) return { ...emptyOutcome, unknownFieldCount: pairs.length }
  const relevantPairs = isEmptyOmitted
    ? pairs.filter(([name, value]) => value !== '' || acceptsEmpty(shape, name))
    : pairs
  const { values, repeated } = convertPairs(shape, relevantPairs)
  const outcome = parseValue(shape, values)
  return {
    ...outcome,
    problems: [...repeated.map((field) => createFieldProblem(field, 'REPEATED')), ...outcome.problems],
  }
}

function acceptsEmpty(shape: ObjectSchema, name: string): boolean {
  const fields = shape.shape as Record<string, ValueSchema>
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  return field !== undefined && z.safeParse(field, '').success
}

type SchemaIssue = z.core.$ZodRawIssue | z.core.$ZodIssue

interface ParseResult {
  value: unknown
  issues: SchemaIssue[]
}

/** Parses a value. Does not use `safeParse`, which builds an error text for each issue: too slow for thousands of invalid rows. */
function parseValue(schema: ValueSchema, value: unknown): ParseOutcome {
  const { value: parsedValue, issues } = schema._zod.run({ value, issues: [] }, { async: false }) as ParseResult
  if (issues.length === 0)
    return { value: parsedValue, problems: [], unknownFieldCount: countUnknownFields(value, parsedValue) }
  return { value: undefined, problems: collectProblems(issues, value), unknownFieldCount: 0 }
}

/** Returns one problem per field. Stops when there are more than a response may contain. */
function collectProblems(issues: readonly SchemaIssue[], value: unknown): FieldProblem[] {
  const problemsByField = new Map<string, FieldProblem>()
  for (const issue of issues) {
    for (const closestIssue of getClosestIssues(issue)) {
      const problem = toFieldProblem(closestIssue, value)
      problemsByField.set(problem.field, problem)
    }
    if (problemsByField.size > inputLimits.problems) break
  }
  return [...problemsByField.values()]
}

/** If the body does not match a union, reports the issues of the member with the fewest issues. */
function getClosestIssues(issue: SchemaIssue): SchemaIssue[] {
  if (issue.code !== 'invalid_union' || issue.path?.length) return [issue]
  const [fewestIssues] = issue.errors.toSorted((a, b) => a.length - b.length)
  return fewestIssues && fewestIssues.length > 0 ? fewestIssues : [issue]
}

/** Names of fields that may contain any character: passwords are only compared by bytes and never stored (S-27). */
const passwordFields = new Set(['password', 'orgPwd', 'newPwd', 'pwd', 'user_password', 'confirmPwd'])

/** Finds text that the database cannot store: NUL and unpaired surrogates (F-03). Adds to `problems`. */
function findUnstorable(value: unknown, field: string, problems: FieldProblem[]): void {
  if (problems.length >= inputLimits.problems) return
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) problems.push(createFieldProblem(field, 'INVALID_FORMAT'))
    return
  }
  if (typeof value !== 'object' || value === null || isFile(value)) return
  for (const name of Object.keys(value))
    if (!passwordFields.has(name))
      findUnstorable((value as Record<string, unknown>)[name], field === '' ? name : `${field}.${name}`, problems)
}

const isFile = (value: unknown) => value instanceof ReceivedFile || value instanceof StoredFile

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const countUnknownFields = (input: unknown, output: unknown): number =>
  isRecord(input) && isRecord(output) ? Object.keys(input).filter((name) => !Object.hasOwn(output, name)).length : 0

const createFieldProblem = (field: string, code: FieldCode, limit?: number): FieldProblem =>
  limit === undefined ? { field, code } : { field, code, limit }

function toFieldProblem(issue: SchemaIssue, value: unknown): FieldProblem {
  const path = issue.path ?? []
  const field = path.join('.')
  const sentValue = path.reduce<unknown>(
    (current, name) => (current as Record<PropertyKey, unknown> | null)?.[name],
    value,
  )
  if (sentValue === undefined || sentValue === null) return createFieldProblem(field, 'REQUIRED')
  if (issue.code === 'too_small') {
    const limit = Number(issue.minimum)
    if (issue.origin !== 'string') return createFieldProblem(field, 'OUT_OF_RANGE', limit)
    return sentValue === '' ? createFieldProblem(field, 'REQUIRED') : createFieldProblem(field, 'TOO_SHORT', limit)
  }
  if (issue.code === 'too_big')
    return createFieldProblem(field, issue.origin === 'string' ? 'TOO_LONG' : 'OUT_OF_RANGE', Number(issue.maximum))
  const hiddenCharacter = typeof sentValue === 'string' ? findHiddenCharacter(sentValue) : null
  if (hiddenCharacter) return { field, code: 'HIDDEN_CHARACTER', named: hiddenCharacter }
  return createFieldProblem(field, issue.code === 'invalid_value' ? 'OUT_OF_RANGE' : 'INVALID_FORMAT')
}
