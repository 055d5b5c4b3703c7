/** The demo world has something to sell, and orders in every state there is, on the day it is loaded. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contractStates, stateOf } from '#domain/contracts.ts'
import { timestampIn } from '#domain/time.ts'
import { inScope } from '#server/db/scope.ts'
import { loadDemoWorld } from '#server/dev/seed.ts'
import type { House } from '#server/house.ts'
import { eachEngine, openTestDatabase, testHouse } from '#tests/support/database.ts'

eachEngine('the demo world', (engine) => {
  const now = Date.parse('2026-11-22T02:00:00Z')
  let house: House
  beforeAll(async () => {
    house = testHouse(await openTestDatabase(engine), () => now)
    expect(await loadDemoWorld(house)).toBe(true)
  }, 90_000)
  afterAll(() => house.database.close())

  const rows = () =>
    inScope(house, { role: 'portal_system' }, (db) =>
      db.selectFrom('service_order').selectAll().where('deleted', '=', false).orderBy('id').execute(),
    )

  test('has orders in every state, one row for each service, and one that waits to be changed', async () => {
    const moment = timestampIn(house.config.timeZone, now)
    const orders = (await rows()).map((row) => ({ ...row, state: stateOf(row, moment) }))
    expect([...new Set(orders.map(({ state }) => state))].toSorted()).toEqual([...contractStates].toSorted())
    const shown = orders.filter((one) => one.shown).map(({ code, state }) => `${code} ${state}`)
    expect(shown.toSorted()).toEqual([
      'acmehr unpaid',
      'acmeold expired',
      'acmeshop invalid',
      'acmetest effective',
      'acmetrade effective',
      'globex01 effective',
    ])
    expect(orders.filter(({ type, state }) => type === 'change' && state === 'unpaid')).toHaveLength(1)
  })

  test('is loaded once', async () => {
    expect(await loadDemoWorld(house)).toBe(false)
    expect((await rows()).length).toBe(8)
  })
})
