/** Values that the portal has returned, by what they can be used for: ids by kind of row and by path, and other values by the name of their field. */
import type { Endpoint, RowKind } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'

/** The longest list that is remembered, and the most values per field. */
const [maxRows, maxValues] = [50, 200]

const tableByKind = new Map(endpoints.flatMap(({ queue }) => (queue ? [[queue.kind, queue.table] as const] : [])))

export class KnownValues {
  readonly #values = new Map<string, Set<unknown>>()

  /** Values for every field of these names, such as the password of the demo's users. */
  constructor(values: Readonly<Record<string, unknown>> = {}) {
    for (const [name, value] of Object.entries(values)) this.#add(`field ${name}`, value)
  }

  /** The caller, whose sessions and rights must outlive the run. */
  userId: unknown

  /** Remembers all values of a response of this call. */
  add(endpoint: Pick<Endpoint, 'path' | 'list'>, response: unknown): void {
    this.#addValues(endpoint, response)
  }

  /** Returns ids of rows of this kind: of the table of its queued writes or of a list, and of fields that refer to such a row. */
  listIds(kind: RowKind): unknown[] {
    const tables = [tableByKind.get(kind) ?? `${kind}s`]
    return [...tables.flatMap((table) => this.#list(`table ${table}`)), ...this.#list(`field ${kind}_id`)]
  }

  /**
   * Returns values for a parameter of a path, such as `/api/invoice/:id/refund`: the ids of the rows that `/api/invoice` returns, then the
   * values of all fields of this name.
   */
  listPathValues(path: string, name: string): unknown[] {
    const parent = path.slice(0, path.indexOf(`/:${name}`))
    return [...this.#list(`path ${parent}`), ...this.listFieldValues(name)]
  }

  listFieldValues(name: string): unknown[] {
    return this.#list(`field ${name}`)
  }

  readonly #list = (key: string): unknown[] => [...(this.#values.get(key) ?? [])]

  #add(key: string, value: unknown): void {
    const values = this.#values.get(key) ?? new Set()
    this.#values.set(key, values)
    if (values.size < maxValues) values.add(value)
  }

  #addValues(endpoint: Pick<Endpoint, 'path' | 'list'>, value: unknown): void {
    if (Array.isArray(value)) return value.slice(0, maxRows).forEach((item) => this.#addValues(endpoint, item))
    if (typeof value !== 'object' || value === null) return
    for (const [name, field] of Object.entries(value)) {
      if (typeof field === 'object') this.#addValues(endpoint, field)
      else this.#add(`field ${name}`, field)
      if (Array.isArray(field))
        for (const item of field.filter((item) => typeof item !== 'object')) this.#add(`field ${name}`, item)
    }
    const { id } = value as { id?: unknown }
    if (id === undefined) return
    this.#add(`path ${endpoint.path}`, id)
    if (endpoint.list) this.#add(`table ${endpoint.list.table}`, id)
  }
}
