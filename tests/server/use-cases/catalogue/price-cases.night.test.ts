/** Each limit of what may stand in a price list, from both sides, through the calls that make and change one. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { onConnections } from '#tests/support/server/database.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { priceCases, soundList } from '#tests/support/orders/price-cases.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { began, openShop } from '#tests/support/orders/shop-data.ts'

onConnections('a price list', (engine) => {
  let server: TestServer
  let staff: SignedIn
  let ids: Parameters<typeof soundList>[0]
  beforeAll(async () => {
    server = await startServer({ engine })
    server.clock.now = began
    await openShop(server)
    staff = await server.signIn('admin@m18')
    const modulesOf = async (hidden: boolean): Promise<{ code: string; id: number }[]> =>
      (await staff.send({ url: `/api/module?hidden=${hidden}&results=50` })).json().data
    const all = new Map([...(await modulesOf(false)), ...(await modulesOf(true))].map(({ code, id }) => [code, id]))
    ids = { core: all.get('core') ?? 0, fin: all.get('fin') ?? 0, base: all.get('base') ?? 0 }
  }, 90_000)
  afterAll(() => server.close())
  // A world for each of three hundred would take a minute; what was made goes, so that its day is free.
  afterEach(async () => {
    const { data } = (await staff.send({ url: '/api/pricelist?results=50' })).json() as {
      data: { id: number; confirmed: boolean }[]
    }
    for (const { id } of data.filter((row) => !row.confirmed))
      await staff.send({ method: 'DELETE', url: `/api/pricelist/${id}` })
  })

  const send = (method: 'POST' | 'PUT', payload: object) => staff.send({ method, url: '/api/pricelist', payload })
  const counted = async () => (await staff.send({ url: '/api/pricelist' })).json().count

  test('with which nothing is wrong is kept as it was sent', async () => {
    expect((await send('POST', soundList(ids))).json()).toMatchObject(soundList(ids))
  })

  describe.each(['POST', 'PUT'] as const)('%s', (method) => {
    // By day each case once, by turns made and changed.
    const cases = isNight ? priceCases : priceCases.filter((_, at) => (at % 2 === 0) === (method === 'POST'))
    test.each(cases.map((one) => [one.name, one] as const))('%s', async (_, { change, problems, kept }) => {
      const sound = soundList(ids)
      const changed = change(sound, ids)
      const { id } = method === 'PUT' ? (await send('POST', sound)).json() : { id: undefined }
      const before = method === 'PUT' ? (await staff.send({ url: `/api/prices/${id}` })).json() : await counted()
      const answer = await send(method, method === 'PUT' ? { id, ...changed } : { ...sound, ...changed })
      if (problems) {
        const data = answer.json().data as { field: string; code: string; message: string }[]
        expect([answer.statusCode, data.map(({ field, code }) => ({ field, code }))]).toEqual([400, problems])
        for (const { message } of data) expect(message).toMatch(/\S \S/)
        const after = method === 'PUT' ? (await staff.send({ url: `/api/prices/${id}` })).json() : await counted()
        expect(after).toEqual(before)
        return
      }
      expect(answer.statusCode, answer.body).toBe(200)
      const stored = (await staff.send({ url: `/api/prices/${answer.json().id}` })).json()
      expect(stored).toEqual(answer.json())
      expect(stored).toMatchObject(kept ?? {})
    })
  })
})
