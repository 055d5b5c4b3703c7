import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Endpoint, VersionedRow } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import { createArbitrary } from '#tests/contract/arbitrary.ts'

const intent = '01920000-0000-7000-8000-000000000001'
const overlayContext = { intent, companyId: 7 }
const getRowSchema = (table: string) => endpoints.find(({ list }) => list?.table === table)?.list?.row
const queuedEndpoints = endpoints.filter(({ queue: queueSpec }) => queueSpec)
const isCreation = ({ queue: queueSpec, body }: Endpoint) => queueSpec?.target({ params: {}, body } as never) === null

const buildInput = ({ params, body }: Endpoint) =>
  fc.record({ ...(params && { params: createArbitrary(params) }), ...(body && { body: createArbitrary(body) }) })
const overlay = ({ queue: queueSpec }: Endpoint, row: VersionedRow | null, input: unknown) =>
  queueSpec?.overlay(row, input as never, overlayContext) ?? null

describe('the overlay of a creation', () => {
  test.each(queuedEndpoints.filter(isCreation).map((endpoint) => [endpoint.name, endpoint] as const))(
    'gives a row of %s all list columns, and an id from its intent',
    (_, endpoint) => {
      const columns = Object.keys(getRowSchema(endpoint.queue?.table ?? '')?.shape ?? {})
      expect(columns).not.toEqual([])
      fc.assert(
        fc.property(buildInput(endpoint), (input) => {
          const row = overlay(endpoint, null, input)
          expect(row).toMatchObject({ id: `~${intent}`, row_version: 0 })
          expect(Object.keys(row ?? {})).toEqual(expect.arrayContaining(columns))
          expect(Object.values(row ?? {})).not.toContain(undefined)
        }),
        { numRuns: 50 },
      )
    },
  )
})

describe('the overlay of a change', () => {
  const changes = queuedEndpoints.filter(
    (endpoint) => !isCreation(endpoint) && getRowSchema(endpoint.queue?.table ?? ''),
  )

  test.each(changes.map((endpoint) => [endpoint.name, endpoint] as const))(
    'keeps id and version of the row, does not modify it, and is null without a row: %s',
    (_, endpoint) => {
      const shape = getRowSchema(endpoint.queue?.table ?? '')
      if (!shape) throw new Error('a table without rows')
      fc.assert(
        fc.property(createArbitrary(shape), buildInput(endpoint), (row, input) => {
          const frozenRow = Object.freeze(structuredClone(row)) as VersionedRow
          const overlaidRow = overlay(endpoint, frozenRow, input)
          if (overlaidRow) expect(overlaidRow).toMatchObject({ id: frozenRow.id, row_version: frozenRow.row_version })
          expect(frozenRow).toEqual(row)
          expect(overlay(endpoint, null, input)).toBeNull()
        }),
        { numRuns: 30 },
      )
    },
  )

  test('shows changed fields, hides a deleted row and shows a disabled user as disabled', () => {
    const getEndpoint = (name: string) => endpoints.find((endpoint) => endpoint.name === name) as Endpoint
    const row = { id: 3, row_version: 4, title: 0, status: 1, alert_date: null, desc: 'old' }
    expect(overlay(getEndpoint('updateCompanyUser'), row, { params: { id: 3 }, body: { title: 2 } })).toEqual({
      ...row,
      title: 2,
    })
    expect(overlay(getEndpoint('disableUser'), row, { params: { id: 3 } })).toEqual({ ...row, status: -1 })
    expect(overlay(getEndpoint('deleteModule'), row, { params: { id: 3 } })).toBeNull()
    expect(overlay(getEndpoint('setAlertDate'), row, { body: { id: 3, alert_date: '2027-01-31' } })).toEqual({
      ...row,
      alert_date: '2027-01-31',
    })
    expect(overlay(getEndpoint('updatePriceList'), row, { body: { id: `~${intent}`, desc: 'new' } })).toEqual({
      ...row,
      desc: 'new',
    })
  })

  test('shows an order made offline with its offline quote and its last day (D17, D18)', () => {
    const order = endpoints.find(({ name }) => name === 'createOrder') as Endpoint
    const body = {
      code: 'acme1',
      name: 'Acme',
      currency: 'HKD',
      user_mode: 'CONCURRENT',
      users: 5,
      modules: ['core'],
      period: 1,
      period_start: '2026-03-01',
      amount: '20000.00',
      price_id: 1,
    }
    expect(overlay(order, null, { body })).toMatchObject({
      status: 0,
      contract_id: 0,
      amount: '20000.00',
      period_end: '2027-03-01',
      expired_date: '2027-02-28',
      company_id: 7,
    })
  })
})
