/**
 * JSON as received. JSON.parse takes what we do not: names given twice (the last would win unseen), `__proto__`, and
 * depths that later code would walk recursively (S-02, S-11).
 */
import { ProblemError } from '#server/problem-error.ts'

const maxDepth = 20
const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

/** Throws VALIDATION_ERROR for anything but well-formed JSON within the limits. */
export function readJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw malformed('')
  }
  refuseTricks(text)
  return value
}

export const malformed = (field: string) => new ProblemError('VALIDATION_ERROR', [{ field, code: 'INVALID_FORMAT' }])

/** Walks the tokens of text that is known to be valid JSON: a string before a colon is a name. Linear, not recursive. */
function refuseTricks(text: string): void {
  const open: (Set<string> | null)[] = []
  let string = ''
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/g)) {
    if (token === '{' || token === '[') {
      if (open.push(token === '{' ? new Set() : null) > maxDepth) throw malformed('')
    } else if (token === '}' || token === ']') open.pop()
    else if (token === ':') take(open.at(-1), JSON.parse(string) as string)
    else string = token
  }
}

function take(names: Set<string> | null | undefined, name: string): void {
  if (forbidden.has(name) || names?.has(name)) throw malformed(name.slice(0, 100))
  names?.add(name)
}
