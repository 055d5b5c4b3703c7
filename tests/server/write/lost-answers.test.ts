/**
 * R-02 at every route that takes a recorded write: the first answer is lost, whenever that is, and the write is sent again
 * under its key. One effect, one line in the trail, and the answer that was lost.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { InjectOptions } from 'fastify'
import { endpoints } from '#contract/index.ts'
import { handlersOf } from '#server/composition/app.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { openShop, wish } from '#tests/support/orders/shop-data.ts'
import { system } from '#tests/support/server/people.ts'
import { formWith, png } from '#tests/support/uploads/pictures.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

/** One of each kind of loss (`sentAgain`); `npm run campaign -- histories` does many. */
const rounds = Number(process.env.RUNS ?? 2)

let server: TestServer
let admin: SignedIn
let buyer: SignedIn
let staff: SignedIn
beforeAll(async () => {
  server = await startServer()
}, 60_000)
afterAll(() => server.close())
beforeEach(async () => {
  // A day on which the lists of the demo world are in force.
  server.clock.now = Date.parse('2026-03-02T02:00:00Z')
  await server.reset()
  await openShop(server)
  admin = await server.signIn('admin@alpha')
  buyer = await server.signIn('order@alpha')
  staff = await server.signIn('delete@m18')
})

/** `by`: the admin of the company where it is not said. */
type Call = Pick<InjectOptions, 'method' | 'url' | 'payload'> & { headers?: Record<string, string>; by?: SignedIn }

/** A write of each route that takes effect: every round another one, with what it needs made before. */
const writes: Record<string, (round: number) => Call | Promise<Call>> = {
  createUser: (round) => ({ method: 'POST', url: '/api/m18s/user', payload: newUser(round) }),
  updateCompanyUser: (round) => {
    const id = server.world.users['user@alpha']
    return { method: 'PUT', url: `/api/m18s/company-user/${id}`, payload: { alert: round % 2 === 0 } }
  },
  deleteUser: async (round) => ({ method: 'DELETE', url: `/api/m18s/user/${await made(round)}` }),
  disableUser: (round) => moved('disable', 'enable', round),
  enableUser: (round) => moved('enable', 'disable', round),
  sendActivationMail: async (round) => ({ method: 'POST', url: `/api/users/activatemail/${await made(round)}` }),
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
    by: buyer,
    method: 'POST',
    url: '/api/sorder',
    payload: { ...wish, code: `made${round}` },
  }),
  deleteOrder: async (round) => ({ by: buyer, method: 'DELETE', url: `/api/sorder/${await ordered(round)}` }),
  setAlertDate: async (round) => {
    const payload = { id: await sold(round), alert_date: dayOf(round) }
    return { by: staff, method: 'POST', url: '/api/sorder/alertDate', payload }
  },
  createPriceList: (round) => ({ by: staff, method: 'POST', url: '/api/pricelist', payload: newList(round) }),
  updatePriceList: async (round) => {
    const payload = { id: await madeBy('/api/pricelist', newList(round)), desc: 'Autumn' }
    return { by: staff, method: 'PUT', url: '/api/pricelist', payload }
  },
  deletePriceList: async (round) => {
    const id = await madeBy('/api/pricelist', newList(round))
    return { by: staff, method: 'DELETE', url: `/api/pricelist/${id}` }
  },
  createModule: (round) => ({ by: staff, method: 'POST', url: '/api/module', payload: newModule(round) }),
  updateModule: async (round) => {
    const id = await madeBy('/api/module', newModule(round))
    return { by: staff, method: 'PUT', url: `/api/module/${id}`, payload: { name: 'Other' } }
  },
  deleteModule: async (round) => {
    const id = await madeBy('/api/module', newModule(round))
    return { by: staff, method: 'DELETE', url: `/api/module/${id}` }
  },
  uploadAsset: async () => ({ method: 'POST', url: '/api/m18s/asset', ...formWith('avatar', { bytes: await png() }) }),
}

const newUser = (round: number) => ({ title: 0, name: `New ${round}`, email: `new${round}@alpha.example` })

const dayOf = (round: number) => new Date(Date.UTC(2028, 0, 1 + round)).toISOString().slice(0, 10)
const newList = (round: number) => ({ type: 'saas', effective_date: dayOf(round), desc: `List ${round}` })
const newModule = (round: number) => ({ code: `mod${round}`, name: `Module ${round}` })

async function madeBy(url: string, payload: object, by = staff): Promise<number> {
  const answer = await by.send({ method: 'POST', url, payload })
  return answer.json().id
}

const made = (round: number) => madeBy('/api/m18s/user', newUser(round), admin)
const ordered = (round: number) => madeBy('/api/sorder', { ...wish, code: `shop${round}` }, buyer)

/** Of the type that has an alert date, which no list here sells. */
async function sold(round: number): Promise<number> {
  const id = await ordered(round)
  await inTransaction(server.app, system, (db) =>
    db
      .updateTable('service_order')
      .set({ client_type: 'mma' } as never)
      .where('id', '=', id)
      .execute(),
  )
  return id
}

/** The way there is the other one's way back. */
async function moved(way: 'enable' | 'disable', back: 'enable' | 'disable', round: number): Promise<Call> {
  const id = server.world.users['user@alpha']
  const isReady = round === 0 && way === 'disable'
  if (!isReady) await admin.send({ method: 'POST', url: `/api/users/${back}/${id}` })
  return { method: 'POST', url: `/api/users/${way}/${id}` }
}

const trailOf = (intent: string) =>
  inTransaction(server.app, system, (db) =>
    db.selectFrom('audit_entry').select(['status']).where('intent', '=', intent).execute(),
  )

/** As often as a line that is slow rather than dead makes a device do it. */
async function sentAgain({ by = admin, ...call }: Call, key: string, round: number) {
  const options = { ...call, headers: { ...call.headers, 'idempotency-key': key } } as InjectOptions
  const first = by.send(options)
  // Every other time the second copy is there before the first one is answered.
  const early = round % 2 === 0 ? null : await by.send(options)
  return { first: await first, early, again: await by.send(options) }
}

const built = new Set(handlersOf({ build: { build: 'test', styleNonce: '' } }).map(({ endpoint }) => endpoint.name))
const queued = endpoints.filter(({ name, offline }) => offline === 'queue' && built.has(name))

describe.each(queued.map(({ name }) => name))('a write whose answer was lost: %s', (name) => {
  test(`takes effect once and is answered as it was, ${rounds} times (R-02, R-45)`, async () => {
    const write = writes[name]
    if (!write) throw new Error(`${name} is recorded on devices, and this table has no write of it`)
    for (let round = 0; round < rounds; round++) {
      const key = randomUUID()
      const { first, early, again } = await sentAgain(await write(round), key, round)
      const answers = [first, early, again].flatMap((answer) => (answer && answer.statusCode < 400 ? [answer] : []))
      // A copy that comes while the first is under way is told to wait, and nothing else.
      for (const answer of [first, early])
        if (answer && answer.statusCode >= 400)
          expect([answer.statusCode, answer.json().errorCode]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
      expect(again.statusCode).toBeLessThan(300)
      expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1)
      expect(again.headers['idempotency-replayed']).toBe('true')
      expect(await trailOf(key)).toEqual([{ status: 0 }])
    }
  }, 120_000)
})
