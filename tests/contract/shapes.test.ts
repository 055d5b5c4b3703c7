import { describe, expect, it, vi } from 'vitest'
import type { Endpoint, Schema } from '#contract/endpoint.ts'

interface Def {
  type: string
  innerType?: Described
  options?: Described[]
  values?: unknown[]
  shape?: Record<string, Described>
}
interface Described {
  _zod: { def: Def }
}

type Table = readonly Endpoint[]
type RefKind = (schema: Schema) => string | undefined

/** All that page and worker read of a schema, as plain data. */
function described(schema: unknown, refKind: RefKind): unknown {
  if (!schema) return null
  const { def } = (schema as Described)._zod
  const fields = Object.entries(def.shape ?? {}).map(([name, field]) => [name, described(field, refKind)])
  return {
    type: def.type,
    ...(refKind(schema as Schema) ? { ref: refKind(schema as Schema) } : {}),
    ...(def.innerType ? { inner: described(def.innerType, refKind) } : {}),
    ...(def.options ? { options: def.options.map((option) => described(option, refKind)) } : {}),
    ...(def.values ? { values: def.values } : {}),
    ...(def.shape ? { fields: Object.fromEntries(fields) } : {}),
  }
}

const describedTable = (table: Table, refKind: RefKind) =>
  table.map(({ name, params, query, body, output, fills }) => ({
    name,
    parts: [params, query, body, output, fills?.row].map((schema) => described(schema, refKind)),
  }))

describe('the client reads the same table as the server', () => {
  it('though it has only the descriptions of the schemas', async () => {
    const server = await import('#contract/index.ts')
    const { refKind } = await import('#contract/values.ts')
    vi.resetModules()
    vi.doMock('zod/mini', () => import('#contract/shapes.ts'))
    const client = await import('#contract/index.ts')
    const { refKind: clientRefKind } = await import('#contract/values.ts')
    vi.doUnmock('zod/mini')

    expect(client.endpoints).not.toBe(server.endpoints)
    expect(client.endpoints.length).toBeGreaterThan(30)
    expect(describedTable(client.endpoints, clientRefKind)).toEqual(describedTable(server.endpoints, refKind))
  })
})
