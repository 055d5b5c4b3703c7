/** Tests every limit of a price list with values on both sides, through the calls that create and change a list. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { onConnections } from '#tests/support/server/database.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { priceCases, buildValidList } from '#tests/support/orders/price-cases.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { shopOpenedAt, openShop } from '#tests/support/orders/shop-data.ts'

onConnections('a price list', (engine) => {
  let server: TestServer
  let staff: SignedIn
  let ids: Parameters<typeof buildValidList>[0]
  beforeAll(async () => {
    server = await startServer({ engine })
    server.clock.now = shopOpenedAt
    await openShop(server)
    staff = await server.signIn('admin@m18')
    const listModules = async (isHidden: boolean): Promise<{ code: string; id: number }[]> =>
      (await staff.send({ url: `/api/module?hidden=${isHidden}&results=50` })).json().data
    const moduleIds = new Map(
      [...(await listModules(false)), ...(await listModules(true))].map(({ code, id }) => [code, id]),
    )
    ids = { core: moduleIds.get('core') ?? 0, fin: moduleIds.get('fin') ?? 0, base: moduleIds.get('base') ?? 0 }
  }, 90_000)
  afterAll(() => server.close())
  // Resetting the test data for each of the 300 cases would take a minute. Instead, the created lists are deleted, so that their date can
  // be used again.
  afterEach(async () => {
    const { data } = (await staff.send({ url: '/api/pricelist?results=50' })).json() as {
      data: { id: number; confirmed: boolean }[]
    }
    for (const { id } of data.filter((row) => !row.confirmed))
      await staff.send({ method: 'DELETE', url: `/api/pricelist/${id}` })
  })

  const send = (method: 'POST' | 'PUT', payload: object) => staff.send({ method, url: '/api/pricelist', payload })
  const countLists = async () => (await staff.send({ url: '/api/pricelist' })).json().count

  test('is stored as it was sent if it is valid', async () => {
    expect((await send('POST', buildValidList(ids))).json()).toMatchObject(buildValidList(ids))
  })

  describe.each(['POST', 'PUT'] as const)('%s', (method) => {
    // By day each case runs once, alternately as POST and as PUT.
    const cases = isNight ? priceCases : priceCases.filter((_, index) => (index % 2 === 0) === (method === 'POST'))
    test.each(cases.map((priceCase) => [priceCase.name, priceCase] as const))(
      'gives the expected result: %s',
      async (_, { change, problems, storedFields }) => {
        const validList = buildValidList(ids)
        const changedFields = change(validList, ids)
        const { id } = method === 'PUT' ? (await send('POST', validList)).json() : { id: undefined }
        const stateBefore =
          method === 'PUT' ? (await staff.send({ url: `/api/prices/${id}` })).json() : await countLists()
        const response = await send(
          method,
          method === 'PUT' ? { id, ...changedFields } : { ...validList, ...changedFields },
        )
        if (problems) {
          const data = response.json().data as { field: string; code: string; message: string }[]
          expect([response.statusCode, data.map(({ field, code }) => ({ field, code }))]).toEqual([400, problems])
          for (const { message } of data) expect(message).toMatch(/\S \S/)
          const stateAfter =
            method === 'PUT' ? (await staff.send({ url: `/api/prices/${id}` })).json() : await countLists()
          expect(stateAfter).toEqual(stateBefore)
          return
        }
        expect(response.statusCode, response.body).toBe(200)
        const storedList = (await staff.send({ url: `/api/prices/${response.json().id}` })).json()
        expect(storedList).toEqual(response.json())
        expect(storedList).toMatchObject(storedFields ?? {})
      },
    )
  })
})
