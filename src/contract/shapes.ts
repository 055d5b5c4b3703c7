/**
 * What the client keeps of zod: the description of a shape, without the machinery that checks values. Page and worker
 * only read the table of calls (which fields there are, of which plain type, which of them name a row); values are
 * checked by `domain` before they are sent and by the server when they arrive. The build puts this in zod's place, which
 * takes 9 kB off the first list and off the worker; a function of zod that is not here fails the build, and
 * tests/contract/shapes.test.ts holds both to the same description.
 */
interface Def {
  type: string
  innerType?: Schema
  options?: Schema[]
  values?: unknown[]
  shape?: Record<string, Schema>
}

class Schema {
  readonly _zod: { def: Def }
  readonly shape: Record<string, Schema> | undefined
  constructor(def: Def) {
    this._zod = { def }
    this.shape = def.shape
  }
  check() {
    return this
  }
}

type Fields = Record<string, Schema>
const plain = (type: string) => () => new Schema({ type })
const wrapped = (type: string) => (innerType: Schema) => new Schema({ type, innerType })
const map = (fields: Fields, change: (name: string, field: Schema) => Schema | null): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const changed = change(name, field)
      return changed ? [[name, changed]] : []
    }),
  )

export const object = (shape: Fields) => new Schema({ type: 'object', shape })
export const looseObject = (shape: Fields) => object(shape)
export const extend = (base: Schema, more: Fields) => object({ ...base.shape, ...more })
export const partial = (base: Schema) => object(map(base.shape ?? {}, (_name, field) => optional(field)))
export const pick = (base: Schema, names: Record<string, true>) =>
  object(map(base.shape ?? {}, (name, field) => (names[name] ? field : null)))
export const omit = (base: Schema, names: Record<string, true>) =>
  object(map(base.shape ?? {}, (name, field) => (names[name] ? null : field)))

export const string = plain('string')
export const guid = plain('string')
export const int = plain('number')
export const boolean = plain('boolean')
export const unknown = plain('unknown')
export const array = plain('array')
export const record = plain('record')
export const templateLiteral = plain('template_literal')
const enumeration = plain('enum')
export { enumeration as enum }
export const literal = (value: unknown) => new Schema({ type: 'literal', values: [value] })
export const union = (options: Schema[]) => new Schema({ type: 'union', options })
export const optional = wrapped('optional')
export const nullable = wrapped('nullable')
export const _default = wrapped('default')

const checks = () => undefined
export {
  checks as gte,
  checks as lte,
  checks as maxLength,
  checks as minLength,
  checks as positive,
  checks as regex,
  checks as config,
}
