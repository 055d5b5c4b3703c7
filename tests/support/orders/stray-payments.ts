/** Money that comes for orders that do not wait for it, as tasks of the provider's admins (decision 62). */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { sql } from 'kysely'
import { inTransaction } from '#server/db/transaction.ts'
import type { Engine } from '#tests/support/server/database.ts'
import { visit } from '#tests/support/orders/gateway-pages.ts'
import { mailBox } from '#tests/support/server/mailed.ts'
import { openTill, payFor, type Till } from '#tests/support/orders/sandbox-server.ts'
import { order, type Ordered, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const dayMs = 86_400_000

export interface StrayTask {
  id: number
  reason: string
  state: string
  amount: string
  currency: string
  problem: string | null
  user_name: string | null
  settled: string | null
}

/** A shop whose gateways are the sandbox, with a buyer and an admin of the provider. */
export function setUpStrayPayments(engine: Engine) {
  const the = setUpShop(engine)
  const box = mailBox(() => the.server.app)
  const people = {} as { till: Till; buyer: SignedIn; staff: SignedIn }
  beforeAll(async () => {
    people.till = await openTill(the.server)
  }, 60_000)
  afterAll(() => people.till.close())
  beforeEach(async () => {
    people.till.sandbox.calls.hold()
    Object.assign(people.till.sandbox.moods, { loseAnswers: 0, fail: 0 })
    await signIn()
    await asSystem((db) => db.updateTable('portal_user').set({ alert: true }).where('admin', '=', true).execute())
    await box.fetch()
    taken = sum()
  })

  let taken = 0
  const sum = () =>
    Object.values(people.till.sandbox.balances())
      .flatMap((one) => Object.values(one))
      .reduce((a, b) => a + b, 0)
  /** What the gateways took and did not give back since the test began, in hundredths. */
  const balance = () => sum() - taken
  const asSystem = <T>(work: Parameters<typeof inTransaction<T>>[2]) =>
    inTransaction(the.server.app, { role: 'portal_system' }, work)
  async function signIn(): Promise<void> {
    people.buyer = await the.server.signIn('order@alpha')
    people.staff = await the.server.signIn('admin@m18')
  }
  const later = async (ms: number) => {
    the.server.clock.now += ms
    await signIn()
  }
  const tasks = async (): Promise<StrayTask[]> => (await people.staff.send({ url: '/api/payment/tasks' })).json()
  const act = (id: number, action: 'refund' | 'apply', by = people.staff) =>
    by.send({ method: 'POST', url: `/api/payment/tasks/${id}/${action}`, payload: {} })
  const why = ({ statusCode, json }: { statusCode: number; json(): { data: { why: string } } }) => [
    statusCode,
    json().data.why,
  ]
  const onPage = async (address: string, form: Record<string, string>) => {
    const page = await visit(address)
    return await visit(page.url, form)
  }
  /** The gateway tells of it. */
  const tellAll = async () => {
    for (const { id, nextAt } of people.till.sandbox.calls.list())
      if (nextAt !== null) {
        await people.till.sandbox.calls.send(id)
        people.till.sandbox.calls.drop(id)
      }
  }
  const addressOf = (answer: { json(): unknown }) => (answer.json() as { redirect: string }).redirect
  const orderFlag = async () => {
    const id = the.server.world.users['user@m18'] ?? 0
    await asSystem((db) => db.updateTable('portal_user').set({ orders: true }).where('id', '=', id).execute())
    return await the.server.signIn('user@m18')
  }
  /** Decision 62: every payment is applied, or has one task. */
  const unaccounted = () =>
    asSystem(async (db) => {
      const { rows } = await sql`select p.id from payment p left join payment_task t on t.payment_id = p.id
        where (p.outcome = 'applied') <> (t.id is null)`.execute(db)
      return rows
    })

  /** Its address is opened for the first time after the order was deleted, and paid. */
  async function paidAfterDeletion(type: 'alipay' | 'globalAlipay'): Promise<Ordered> {
    const made = (
      await order(people.buyer, { code: type.toLowerCase(), currency: type === 'alipay' ? 'RMB' : 'HKD' })
    ).json()
    const payer = type === 'alipay' ? people.buyer : await orderFlag()
    const address = addressOf(await payFor(payer, made.id, { type }))
    await people.buyer.send({ method: 'DELETE', url: `/api/sorder/${made.id}` })
    await onPage(address, { answer: 'pay' })
    await tellAll()
    return made
  }

  /** Its time is over and the code is another company's by the time that the page is paid. */
  async function paidTooLate(): Promise<Ordered> {
    const made = (await order(people.buyer)).json()
    const address = addressOf(await payFor(people.buyer, made.id))
    await later(8 * dayMs)
    await order(await the.server.signIn('order@beta'), { period_start: '2026-03-10' })
    await onPage(address, { card: '4242 4242 4242 4242' })
    await tellAll()
    return made
  }

  return {
    the,
    box,
    people,
    balance,
    asSystem,
    later,
    tasks,
    act,
    why,
    onPage,
    tellAll,
    addressOf,
    unaccounted,
    paidAfterDeletion,
    paidTooLate,
  }
}
