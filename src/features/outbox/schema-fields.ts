/** What can be filled in of a call's body, read off its schema in the contract: for writes whose noun has no form here. */
import { endpointNamed, type Schema } from '#contract/endpoint.ts'

export interface Part {
  name: string
  kind: 'text' | 'number' | 'flag' | 'choice' | 'fixed'
  /** Of a choice. */
  values: (string | number | boolean)[]
  /** May be left empty. */
  isOptional: boolean
}

interface Def {
  type: string
  innerType?: Schema
  options?: Schema[]
  values?: unknown[]
  entries?: Record<string, string>
  shape?: Record<string, Schema>
}
const defOf = (schema: Schema) => (schema as unknown as { _zod: { def: Def } })._zod.def

/** In the contract's order; only those that were asked, where any were: a change names no more than it changes. */
export function partsOf(endpoint: string, body: Readonly<Record<string, unknown>>): Part[] {
  const schema = endpointNamed(endpoint)?.body
  const shape = schema ? (defOf(schema).shape ?? {}) : {}
  return Object.entries(shape).flatMap(([name, field]) => (name in body ? [partOf(name, field)] : []))
}

function partOf(name: string, field: Schema): Part {
  const { type, innerType, options, values, entries } = defOf(field)
  if (innerType) return { ...partOf(name, innerType), isOptional: type !== 'default' }
  const part = { name, values: [], isOptional: false }
  if (type === 'string') return { ...part, kind: 'text' }
  if (type === 'number' || type === 'int') return { ...part, kind: 'number' }
  if (type === 'boolean') return { ...part, kind: 'flag' }
  // The page's own reading of the schemas does not keep an enum's words: the server checks what is typed.
  if (type === 'enum')
    return entries ? { ...part, kind: 'choice', values: Object.values(entries) } : { ...part, kind: 'text' }
  const literals = (options ?? []).map(defOf)
  if (literals.length > 0 && literals.every((one) => one.type === 'literal'))
    return { ...part, kind: 'choice', values: literals.flatMap((one) => one.values ?? []) as Part['values'] }
  if (type === 'literal') return { ...part, kind: 'choice', values: (values ?? []) as Part['values'] }
  return { ...part, kind: 'fixed' }
}

/** A field holds text; `NaN` for what was to be a number and is none. */
export function valueOf({ kind, values, isOptional }: Part, text: string): unknown {
  if (kind === 'choice') return values.find((one) => String(one) === text) ?? null
  if (text.trim() === '' && isOptional) return null
  return kind === 'number' ? (text.trim() === '' ? Number.NaN : Number(text)) : text.trim()
}
