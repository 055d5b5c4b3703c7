/**
 * Tests the step-up (S-48). If it is turned on, the most dangerous calls require a password confirmation that is at most five minutes old.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { endpoints } from '#contract/index.ts'
import type { PriceRow } from '#contract/prices.ts'
import { openShop } from '#tests/support/orders/shop-data.ts'
import { post } from '#tests/support/server/factors.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

const key = '018f0000-0000-7000-8000-000000000001'
const readOutcome = (response: { statusCode: number; body: string }) =>
  response.body === '' ? response.statusCode : [response.statusCode, JSON.parse(response.body).errorCode]
const confirmPassword = (person: SignedIn, givenPassword = password) =>
  post(person, 'password', { password: givenPassword })

test('The step-up applies to deleting users and services and to confirming prices', () => {
  expect(endpoints.filter(({ stepUp }) => stepUp).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['deleteUser', 'deleteService', 'createPriceList', 'updatePriceList']),
  )
  const requiresStepUp = endpoints.find(({ name }) => name === 'updatePriceList')?.stepUp as unknown as (
    request: unknown,
  ) => boolean
  expect([
    requiresStepUp({ body: { confirmed: true } }),
    requiresStepUp({ body: { confirmed: false } }),
    requiresStepUp({ body: {} }),
  ]).toEqual([true, false, false])
})

describe.each([
  ['on', { STEP_UP: '1' }],
  ['off', {}],
] as const)('the step-up (turned %s)', (setting, env) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ env })
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())

  const remove = (person: SignedIn, userName = 'user@alpha', headers = {}) =>
    person.send({ method: 'DELETE', url: `/api/m18s/user/${server.world.users[userName]}`, headers })

  if (setting === 'off') {
    test('lets users be deleted without a confirmation', async () => {
      expect(readOutcome(await remove(await server.signIn('admin@alpha')))).toBe(204)
    })
    return
  }

  test('refuses a call with STEP_UP_REQUIRED, and allows it after the confirmation', async () => {
    const admin = await server.signIn('admin@alpha')
    expect(readOutcome(await remove(admin, 'user@alpha', { 'idempotency-key': key }))).toEqual([
      403,
      'STEP_UP_REQUIRED',
    ])
    expect(readOutcome(await confirmPassword(admin, 'Not-the-one-44'))).toEqual([401, 'MFA_INVALID'])
    expect(readOutcome(await remove(admin))).toEqual([403, 'STEP_UP_REQUIRED'])
    expect(readOutcome(await confirmPassword(admin))).toBe(204)
    // The refusal was not stored, so the same request succeeds with the same key.
    expect(readOutcome(await remove(admin, 'user@alpha', { 'idempotency-key': key }))).toBe(204)
    // A repeated request gets the stored response, even if the confirmation is too old.
    server.clock.now += 5 * 60_000
    expect(readOutcome(await remove(admin, 'user@alpha', { 'idempotency-key': key }))).toBe(204)
  })

  test('is valid for five minutes, in the same session only', async () => {
    const admin = await server.signIn('admin@alpha')
    const otherSession = await server.signIn('admin@alpha')
    await confirmPassword(admin)
    expect(readOutcome(await remove(otherSession))).toEqual([403, 'STEP_UP_REQUIRED'])
    server.clock.now += 5 * 60_000
    expect(readOutcome(await remove(admin))).toEqual([403, 'STEP_UP_REQUIRED'])
  })

  test('is required to grant admin or an access level, but not for other changes (fault 17b)', async () => {
    const admin = await server.signIn('delete@m18')
    const id = server.world.users['user@m18']
    const change = (payload: object) => admin.send({ method: 'PUT', url: `/api/m18s/company-user/${id}`, payload })
    const newUser = { title: 0, name: 'New', email: 'new@m18.example' }
    const invite = (extraFields: object) =>
      admin.send({ method: 'POST', url: '/api/m18s/user', payload: { ...newUser, ...extraFields } })
    const stepUpRefusal = [403, 'STEP_UP_REQUIRED']
    for (const grant of [{ admin: true }, { access_level: 100 }, { admin: true, access_level: 1 }]) {
      expect(readOutcome(await change(grant))).toEqual(stepUpRefusal)
      expect(readOutcome(await invite(grant))).toEqual(stepUpRefusal)
    }
    for (const plainChange of [{ admin: false, access_level: 0 }, { order: true }, { alert: true }])
      expect((await change(plainChange)).body).not.toContain('errorCode')
    await confirmPassword(admin)
    expect((await change({ admin: true })).statusCode).toBe(200)
    expect((await invite({ admin: true })).statusCode).toBe(200)
  })

  test('is required to remove a service or restore a backup, before anything is read (fault 17b)', async () => {
    const staff = await server.signIn('delete@m18')
    const calls = [
      { method: 'DELETE', url: '/api/aws/service/remove/1' },
      { method: 'POST', url: '/api/pdb/restore', payload: { backup_id: 1, service_id: 1 } },
    ] as const
    for (const call of calls) expect(readOutcome(await staff.send(call))).toEqual([403, 'STEP_UP_REQUIRED'])
    await confirmPassword(staff)
    for (const call of calls) expect((await staff.send(call)).statusCode).toBe(404)
  })

  test('is required to withdraw a price list, but not to delete an unconfirmed list (fault 17b)', async () => {
    await openShop(server)
    const staff = await server.signIn('delete@m18')
    const { data } = (await staff.send({ url: '/api/pricelist?type=saas' })).json()
    const laterList = data.find((row: PriceRow) => row.confirmed && row.effective_date > '2026-03-02')
    const withdraw = (query = '') => staff.send({ method: 'DELETE', url: `/api/pricelist/${laterList.id}${query}` })
    expect(readOutcome(await withdraw())).toEqual([403, 'STEP_UP_REQUIRED'])
    expect(readOutcome(await withdraw('?withdraw=true'))).toEqual([403, 'STEP_UP_REQUIRED'])
    const payload = { type: 'saas', effective_date: '2031-05-01', desc: 'Draft' }
    const draft = (await staff.send({ method: 'POST', url: '/api/pricelist', payload })).json()
    expect(readOutcome(await staff.send({ method: 'DELETE', url: `/api/pricelist/${draft.id}` }))).toBe(204)
    await confirmPassword(staff)
    expect(readOutcome(await withdraw())).toBe(204)
  })

  test('is not requested from users without the right, who get FORBIDDEN', async () => {
    expect(readOutcome(await remove(await server.signIn('user@alpha'), 'admin@alpha'))).toEqual([403, 'FORBIDDEN'])
  })

  test('is checked for each item of a batch', async () => {
    const admin = await server.signIn('admin@alpha')
    const item = { method: 'DELETE', path: `/api/m18s/user/${server.world.users['user@alpha']}`, headers: {}, key }
    const response = await admin.send({ method: 'POST', url: '/api/batch', payload: [item] })
    expect(response.json()).toMatchObject([{ status: 403, body: { errorCode: 'STEP_UP_REQUIRED' } }])
  })

  test('is not required for other changes', async () => {
    const admin = await server.signIn('admin@alpha')
    const url = `/api/users/disable/${server.world.users['user@alpha']}`
    expect((await admin.send({ method: 'POST', url })).statusCode).toBe(200)
  })
})
