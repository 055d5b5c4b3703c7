/** The bytes of a leaf: canonical JSON (RFC 8785), restricted to values with a single representation. */
import canonicalize from 'canonicalize'
import { LogError } from '#domain/audit-log/fault.ts'
import type { LeafValue } from '#domain/audit-log/leaf.ts'

/** Maximum nesting depth. Leaves are flat except for values of JSON columns, so deeper values are not from the portal. */
const maxDepth = 32

/**
 * Returns the text whose UTF-8 bytes are hashed, for `AuditLeaf` or any `LeafValue`. Throws NOT_A_LEAF_VALUE for values with no or several
 * canonical texts: undefined, fractions, unsafe integers, -0, lone surrogates, dates and other class instances, circular references.
 */
export function toCanonicalJson(value: object | LeafValue): string {
  requireCanonicalValue(value, '$', 0)
  const text = canonicalize(value)
  if (text === undefined) throw new LogError('NOT_A_LEAF_VALUE', 'the value is undefined')
  return text
}

/** Returns whether the text is exactly what `toCanonicalJson` writes for its value. */
export function isCanonical(text: string): boolean {
  try {
    return toCanonicalJson(JSON.parse(text) as LeafValue) === text
  } catch {
    return false
  }
}

function requireCanonicalValue(value: unknown, path: string, depth: number): void {
  const createError = (reason: string) => new LogError('NOT_A_LEAF_VALUE', `${reason} at ${path}`)
  if (depth > maxDepth) throw createError('a circular or too deeply nested value')
  if (value === null || typeof value === 'boolean') return
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw createError('a lone surrogate')
    return
  }
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) throw createError('a number that is not a safe integer')
    return
  }
  if (typeof value !== 'object') throw createError(`a value of type ${typeof value}`)
  if (Array.isArray(value)) {
    // Uses indexes, because `forEach` skips holes.
    for (let i = 0; i < value.length; i += 1) requireCanonicalValue(value[i], `${path}[${i}]`, depth + 1)
    return
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw createError('an object with a class')
  for (const [name, inner] of Object.entries(value)) {
    if (!name.isWellFormed()) throw createError('a name with a lone surrogate')
    requireCanonicalValue(inner, `${path}.${name}`, depth + 1)
  }
}
