import { describe, expect, it } from 'vitest'
import '#contract/index.ts'
import { endpoints } from '#contract/index.ts'
import { type Part, partsOf, valueOf } from '#features/outbox/schema-fields.ts'

const kindsOf = (endpoint: string, body: Record<string, unknown>) =>
  Object.fromEntries(partsOf(endpoint, body).map(({ name, kind }) => [name, kind]))

describe('the fields of a write whose noun has no form of its own', () => {
  it('are those it set, each by the plain type the contract gives it', () => {
    const body = { name: 'Acme', tel: null }
    expect(kindsOf('updateCompany', body)).toEqual({ name: 'text', tel: 'text' })
    expect(kindsOf('updateCompanyUser', { title: 1, order: true })).toEqual({ title: 'choice', order: 'flag' })
    expect(kindsOf('createModule', { name: 'X', apps: [] })).toEqual({ name: 'text', apps: 'fixed' })
  })

  it('exist for every queued call that has a body', () => {
    const queued = endpoints.filter(({ offline, body, encoding }) => offline === 'queue' && body && !encoding)
    expect(queued.length).toBeGreaterThan(5)
    for (const { name, body } of queued) {
      const shape = (body as unknown as { _zod: { def: { shape: object } } })._zod.def.shape
      const all = Object.fromEntries(Object.keys(shape).map((field) => [field, null]))
      expect([name, partsOf(name, all).map((part) => part.name)]).toEqual([name, Object.keys(shape)])
    }
  })

  it('are read back as the call wants them', () => {
    const part = (given: Partial<Part>): Part => ({ name: 'x', kind: 'text', values: [], isOptional: false, ...given })
    expect(valueOf(part({ kind: 'number' }), ' 12 ')).toBe(12)
    expect(valueOf(part({ kind: 'number' }), '')).toBeNaN()
    expect(valueOf(part({ kind: 'number', isOptional: true }), '')).toBeNull()
    expect(valueOf(part({ kind: 'choice', values: [0, 1] }), '1')).toBe(1)
    expect(valueOf(part({}), ' Acme ')).toBe('Acme')
  })
})
