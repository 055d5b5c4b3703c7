/**
 * Tests every endpoint with queued writes: the first response is lost at some point, and the write is sent again under its key.
 * There must be one effect, one audit entry, and the original response.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { InjectOptions } from 'fastify'
import { endpoints } from '#contract/index.ts'
import { createHandlers } from '#server/composition/app.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { openShop, orderInput } from '#tests/support/orders/shop-data.ts'
import { system } from '#tests/support/server/people.ts'
import { buildFileForm, png } from '#tests/support/uploads/pictures.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

/** Number of rounds: one for each kind of loss (`sendTwice`). `npm run campaign -- histories` runs many. */
const roundCount = Number(process.env.RUNS ?? 2)

let server: TestServer
let admin: SignedIn
let buyer: SignedIn
let staff: SignedIn
beforeAll(async () => {
  server = await startServer()
}, 60_000)
afterAll(() => server.close())
beforeEach(async () => {
  // On this day the price lists of the test data are valid.
  server.clock.now = Date.parse('2026-03-02T02:00:00Z')
  await server.reset()
  await openShop(server)
  admin = await server.signIn('admin@alpha')
  buyer = await server.signIn('order@alpha')
  staff = await server.signIn('delete@m18')
})

/** A write with its sender. The default is the admin of the company. */
type WriteCall = Pick<InjectOptions, 'method' | 'url' | 'payload'> & {
  headers?: Record<string, string>
  sender?: SignedIn
}

/** Builds an effective write of each endpoint. It differs in each round, and the rows that it needs are created before. */
const writes: Record<string, (round: number) => WriteCall | Promise<WriteCall>> = {
  createUser: (round) => ({ method: 'POST', url: '/api/m18s/user', payload: createUserInput(round) }),
  updateCompanyUser: (round) => {
    const id = server.world.users['user@alpha']
    return { method: 'PUT', url: `/api/m18s/company-user/${id}`, payload: { alert: round % 2 === 0 } }
  },
  deleteUser: async (round) => ({ method: 'DELETE', url: `/api/m18s/user/${await createUser(round)}` }),
  disableUser: (round) => prepareStatusChange('disable', 'enable', round),
  enableUser: (round) => prepareStatusChange('enable', 'disable', round),
  sendActivationMail: async (round) => ({ method: 'POST', url: `/api/users/activatemail/${await createUser(round)}` }),
  updateOwnUser: (round) => ({
    method: 'PUT',
    url: `/api/m18s/user/${admin.userId}`,
    payload: { name: `Round ${round}` },
  }),
  updateCompany: (round) => ({
    method: 'PUT',
    url: `/api/m18s/company/${server.world.companies.alpha}`,
    payload: { name: `Alpha ${round}` },
  }),
  createOrder: (round) => ({
    sender: buyer,
    method: 'POST',
    url: '/api/sorder',
    payload: { ...orderInput, code: `made${round}` },
  }),
  deleteOrder: async (round) => ({ sender: buyer, method: 'DELETE', url: `/api/sorder/${await createOrder(round)}` }),
  setAlertDate: async (round) => {
    const payload = { id: await createContractOrder(round), alert_date: createDate(round) }
    return { sender: staff, method: 'POST', url: '/api/sorder/alertDate', payload }
  },
  createPriceList: (round) => ({
    sender: staff,
    method: 'POST',
    url: '/api/pricelist',
    payload: createListInput(round),
  }),
  updatePriceList: async (round) => {
    const payload = { id: await createRow('/api/pricelist', createListInput(round)), desc: 'Autumn' }
    return { sender: staff, method: 'PUT', url: '/api/pricelist', payload }
  },
  deletePriceList: async (round) => {
    const id = await createRow('/api/pricelist', createListInput(round))
    return { sender: staff, method: 'DELETE', url: `/api/pricelist/${id}` }
  },
  createModule: (round) => ({ sender: staff, method: 'POST', url: '/api/module', payload: createModuleInput(round) }),
  updateModule: async (round) => {
    const id = await createRow('/api/module', createModuleInput(round))
    return { sender: staff, method: 'PUT', url: `/api/module/${id}`, payload: { name: 'Other' } }
  },
  deleteModule: async (round) => {
    const id = await createRow('/api/module', createModuleInput(round))
    return { sender: staff, method: 'DELETE', url: `/api/module/${id}` }
  },
  uploadAsset: async () => ({
    method: 'POST',
    url: '/api/m18s/asset',
    ...buildFileForm('avatar', { bytes: await png() }),
  }),
}

const createUserInput = (round: number) => ({ title: 0, name: `New ${round}`, email: `new${round}@alpha.example` })

const createDate = (round: number) => new Date(Date.UTC(2028, 0, 1 + round)).toISOString().slice(0, 10)
const createListInput = (round: number) => ({ type: 'saas', effective_date: createDate(round), desc: `List ${round}` })
const createModuleInput = (round: number) => ({ code: `mod${round}`, name: `Module ${round}` })

async function createRow(url: string, payload: object, sender = staff): Promise<number> {
  const response = await sender.send({ method: 'POST', url, payload })
  return response.json().id
}

const createUser = (round: number) => createRow('/api/m18s/user', createUserInput(round), admin)
const createOrder = (round: number) => createRow('/api/sorder', { ...orderInput, code: `shop${round}` }, buyer)

/** Creates an order of the client type that has an alert date. No price list of this test sells it. */
async function createContractOrder(round: number): Promise<number> {
  const id = await createOrder(round)
  await runInTransaction(server.app, system, (db) =>
    db
      .updateTable('service_order')
      .set({ client_type: 'mma' } as never)
      .where('id', '=', id)
      .execute(),
  )
  return id
}

/** Prepares a status change by calling its inverse first. */
async function prepareStatusChange(
  method: 'enable' | 'disable',
  inverseMethod: 'enable' | 'disable',
  round: number,
): Promise<WriteCall> {
  const id = server.world.users['user@alpha']
  const isReady = round === 0 && method === 'disable'
  if (!isReady) await admin.send({ method: 'POST', url: `/api/users/${inverseMethod}/${id}` })
  return { method: 'POST', url: `/api/users/${method}/${id}` }
}

const readTrailEntries = (intent: string) =>
  runInTransaction(server.app, system, (db) =>
    db.selectFrom('audit_entry').select(['status']).where('intent', '=', intent).execute(),
  )

/** Sends a write two or three times, as a device does on a slow connection. */
async function sendTwice({ sender = admin, ...call }: WriteCall, key: string, round: number) {
  const options = { ...call, headers: { ...call.headers, 'idempotency-key': key } } as InjectOptions
  const firstRequest = sender.send(options)
  // In every other round the second copy arrives before the first response.
  const earlyResponse = round % 2 === 0 ? null : await sender.send(options)
  return { firstResponse: await firstRequest, earlyResponse, repeatedResponse: await sender.send(options) }
}

const builtEndpoints = new Set(
  createHandlers({ build: { build: 'test', styleNonce: '' } }).map(({ endpoint }) => endpoint.name),
)
const queuedEndpoints = endpoints.filter(({ name, offline }) => offline === 'queue' && builtEndpoints.has(name))

describe.each(queuedEndpoints.map(({ name }) => name))('a write with a lost response: %s', (name) => {
  test(`takes effect once and returns the stored response, ${roundCount} times (R-02, R-45)`, async () => {
    const write = writes[name]
    if (!write) throw new Error(`${name} is recorded on devices, and this table has no write of it`)
    for (let round = 0; round < roundCount; round++) {
      const key = randomUUID()
      const { firstResponse, earlyResponse, repeatedResponse } = await sendTwice(await write(round), key, round)
      const responses = [firstResponse, earlyResponse, repeatedResponse].flatMap((response) =>
        response && response.statusCode < 400 ? [response] : [],
      )
      // A copy that arrives while the first copy is executed gets only IDEMPOTENCY_IN_PROGRESS.
      for (const response of [firstResponse, earlyResponse])
        if (response && response.statusCode >= 400)
          expect([response.statusCode, response.json().errorCode]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
      expect(repeatedResponse.statusCode).toBeLessThan(300)
      expect(new Set(responses.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1)
      expect(repeatedResponse.headers['idempotency-replayed']).toBe('true')
      expect(await readTrailEntries(key)).toEqual([{ status: 0 }])
    }
  }, 120_000)
})
