/**
 * Checks JSON text before parsing: repeated names and `__proto__`, which are no longer visible after parsing (S-02, S-11), and its size, so
 * that a too large text is refused before anything is allocated.
 */

export interface JsonLimits {
  depth: number
  names: number
  /** Maximum of objects, arrays, names and plain values together. */
  values: number
  nameLength: number
}

export type JsonFault =
  /** A name that is repeated in one object or has a special meaning in JavaScript. */
  | { code: 'NAME'; name: string }
  | { code: 'NO_JSON' }
  | { code: 'TOO_DEEP' | 'TOO_MANY_NAMES' | 'TOO_MANY_VALUES' | 'NAME_TOO_LONG' }

const maxDepth = 20
const noLimits: JsonLimits = { depth: maxDepth, names: Infinity, values: Infinity, nameLength: Infinity }
const forbiddenNames = new Set(['__proto__', 'constructor', 'prototype'])

/** Returns whether every plain object has this property by default. Such a name cannot be used as a code or key. */
export const isObjectName = (name: string): boolean => name in Object.prototype || forbiddenNames.has(name)

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const comma = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/**
 * Returns the first fault of the text, or null. Does not check that the text is valid JSON. Linear and not recursive. Allocates nothing for
 * values: each nesting level has one set of names, which is cleared for the next object.
 */
export function findJsonFault(text: string, limits: JsonLimits): JsonFault | null {
  const namesByLevel: Set<string>[] = []
  let depth = 0
  let values = 1
  let stringStart = -1
  let stringEnd = -1
  for (let i = 0; i < text.length; i++) {
    const charCode = text.charCodeAt(i)
    if (charCode === quote) {
      stringStart = i
      i = stringEnd = findStringEnd(text, i)
      continue
    }
    if (charCode === openBrace || charCode === openBracket) {
      if (++depth > limits.depth) return { code: 'TOO_DEEP' }
      namesByLevel[depth]?.clear()
    } else if (charCode === closeBrace || charCode === closeBracket) {
      if (--depth < 0) return { code: 'NO_JSON' }
      continue
    } else if (charCode === colon) {
      const names = (namesByLevel[depth] ??= new Set())
      const fault = addName(names, text, { start: stringStart, end: stringEnd }, limits)
      if (fault) return fault
    } else if (charCode !== comma) continue
    if (++values > limits.values) return { code: 'TOO_MANY_VALUES' }
  }
  return null
}

/** Returns the index of the closing quote of the string that begins at `start`, or the end of the text. */
function findStringEnd(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const charCode = text.charCodeAt(i)
    if (charCode === quote) return i
    if (charCode === backslash) i++
  }
  return text.length
}

function addName(
  names: Set<string>,
  text: string,
  { start, end }: { start: number; end: number },
  limits: JsonLimits,
): JsonFault | null {
  if (start < 0) return { code: 'NO_JSON' }
  if (end - start - 1 > limits.nameLength) return { code: 'NAME_TOO_LONG' }
  let name = text.slice(start + 1, end)
  try {
    if (name.includes('\\')) name = JSON.parse(text.slice(start, end + 1)) as string
  } catch {
    return { code: 'NO_JSON' }
  }
  if (forbiddenNames.has(name) || names.has(name)) return { code: 'NAME', name }
  return names.add(name).size > limits.names ? { code: 'TOO_MANY_NAMES' } : null
}

/** Checks valid JSON. Returns a repeated or special name, the empty string for more than 20 levels, or null if there is no fault. */
export function findJsonTrick(text: string): string | null {
  const fault = findJsonFault(text, noLimits)
  if (fault === null) return null
  return fault.code === 'NAME' ? fault.name : ''
}
