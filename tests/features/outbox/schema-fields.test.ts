import { describe, expect, it } from 'vitest'
import '#contract/index.ts'
import { endpoints } from '#contract/index.ts'
import { type SchemaField, getSchemaFields, parseFieldValue } from '#features/outbox/edit/schema-fields.ts'

const getFieldKinds = (endpoint: string, body: Record<string, unknown>) =>
  Object.fromEntries(getSchemaFields(endpoint, body).map(({ name, kind }) => [name, kind]))

describe('the fields of a write without a form', () => {
  it('are those that the write set, with the plain types of the contract', () => {
    const body = { name: 'Acme', tel: null }
    expect(getFieldKinds('updateCompany', body)).toEqual({ name: 'text', tel: 'text' })
    expect(getFieldKinds('updateCompanyUser', { title: 1, order: true })).toEqual({ title: 'choice', order: 'flag' })
    expect(getFieldKinds('createModule', { name: 'X', apps: [] })).toEqual({ name: 'text', apps: 'fixed' })
  })

  it('exist for every queued call with a body', () => {
    const queuedEndpoints = endpoints.filter(({ offline, body, encoding }) => offline === 'queue' && body && !encoding)
    expect(queuedEndpoints.length).toBeGreaterThan(5)
    for (const { name, body } of queuedEndpoints) {
      const shape = (body as unknown as { _zod: { def: { shape: object } } })._zod.def.shape
      const emptyBody = Object.fromEntries(Object.keys(shape).map((field) => [field, null]))
      expect([name, getSchemaFields(name, emptyBody).map((field) => field.name)]).toEqual([name, Object.keys(shape)])
    }
  })

  it('are parsed as the call requires', () => {
    const createField = (overrides: Partial<SchemaField>): SchemaField => ({
      name: 'x',
      kind: 'text',
      values: [],
      isOptional: false,
      ...overrides,
    })
    expect(parseFieldValue(createField({ kind: 'number' }), ' 12 ')).toBe(12)
    expect(parseFieldValue(createField({ kind: 'number' }), '')).toBeNaN()
    expect(parseFieldValue(createField({ kind: 'number', isOptional: true }), '')).toBeNull()
    expect(parseFieldValue(createField({ kind: 'choice', values: [0, 1] }), '1')).toBe(1)
    expect(parseFieldValue(createField({}), ' Acme ')).toBe('Acme')
  })
})
