/**
 * What is seen in JSON text before it is parsed: names given twice and `__proto__`, which are gone once it is parsed (S-02, S-11),
 * and how much it holds, so that too much is refused before anything is made of it.
 */

export interface JsonLimits {
  /** Levels of nesting. */
  depth: number
  /** Names in one object. */
  names: number
  /** Objects, arrays, names and plain values together. */
  values: number
  /** Characters of a name, as it is written. */
  nameLength: number
}

export type JsonFault =
  /** A name that is given twice in one object or that means something to JavaScript. */
  | { code: 'NAME'; name: string }
  | { code: 'NO_JSON' }
  | { code: 'TOO_DEEP' | 'TOO_MANY_NAMES' | 'TOO_MANY_VALUES' | 'NAME_TOO_LONG' }

const maxDepth = 20
const noLimits: JsonLimits = { depth: maxDepth, names: Infinity, values: Infinity, nameLength: Infinity }
const forbiddenNames = new Set(['__proto__', 'constructor', 'prototype'])

/** Whether a plain object answers to that name without having been given it: such a name is no code and no key. */
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
 * The first fault of the text; null: none, if it is JSON at all, which this does not check. Linear, not recursive, and it
 * allocates nothing for values: each level of nesting has one set of names, which is emptied for the next object.
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

/** Where the string that begins at `start` ends: its second quote, or the end of the text. */
function findStringEnd(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const charCode = text.charCodeAt(i)
    if (charCode === quote) return i
    if (charCode === backslash) i++
  }
  return text.length
}

/** Adds the name between two quotes to the names of its object, or returns its fault. */
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

/**
 * Of text that is known to be valid JSON: the name that is given twice in one object or that means something to JavaScript; the
 * empty text for more than 20 levels; null for text without such tricks.
 */
export function findJsonTrick(text: string): string | null {
  const fault = findJsonFault(text, noLimits)
  if (fault === null) return null
  return fault.code === 'NAME' ? fault.name : ''
}
