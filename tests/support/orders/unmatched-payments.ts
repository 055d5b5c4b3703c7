/** Makes payments for orders that no longer expect them. They become tasks of the provider's admins (decision 62). */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { sql } from 'kysely'
import { runInTransaction } from '#server/db/transaction.ts'
import type { Engine } from '#tests/support/server/database.ts'
import { openGatewayPage } from '#tests/support/orders/gateway-pages.ts'
import { createMailBox } from '#tests/support/server/mail-box.ts'
import { openPaymentSandbox, payFor, type PaymentSandbox } from '#tests/support/orders/sandbox-server.ts'
import { placeOrder, type OrderRow, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const dayMs = 86_400_000

export interface UnmatchedPaymentTask {
  id: number
  reason: string
  state: string
  amount: string
  currency: string
  problem: string | null
  user_name: string | null
  settled: string | null
}

/** Sets up a shop whose gateways are the sandbox, with a buyer and a provider admin. */
export function setUpUnmatchedPayments(engine: Engine) {
  const fixture = setUpShop(engine)
  const inbox = createMailBox(() => fixture.server.app)
  const actors = {} as { paymentSandbox: PaymentSandbox; buyer: SignedIn; staff: SignedIn }
  beforeAll(async () => {
    actors.paymentSandbox = await openPaymentSandbox(fixture.server)
  }, 60_000)
  afterAll(() => actors.paymentSandbox.close())
  beforeEach(async () => {
    actors.paymentSandbox.sandbox.webhooks.hold()
    Object.assign(actors.paymentSandbox.sandbox.faults, { loseAnswers: 0, fail: 0 })
    await signIn()
    await runAsSystem((db) => db.updateTable('portal_user').set({ alert: true }).where('admin', '=', true).execute())
    await inbox.fetch()
    balanceBefore = sumBalances()
  })

  let balanceBefore = 0
  const sumBalances = () =>
    Object.values(actors.paymentSandbox.sandbox.getBalances())
      .flatMap((balances) => Object.values(balances))
      .reduce((a, b) => a + b, 0)
  /** Amount that the gateways took minus refunds since the test began, in hundredths. */
  const balance = () => sumBalances() - balanceBefore
  const runAsSystem = <T>(work: Parameters<typeof runInTransaction<T>>[2]) =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, work)
  async function signIn(): Promise<void> {
    actors.buyer = await fixture.server.signIn('order@alpha')
    actors.staff = await fixture.server.signIn('admin@m18')
  }
  const advanceClock = async (ms: number) => {
    fixture.server.clock.now += ms
    await signIn()
  }
  const listTasks = async (): Promise<UnmatchedPaymentTask[]> =>
    (await actors.staff.send({ url: '/api/payment/tasks' })).json()
  const performAction = (id: number, action: 'refund' | 'apply', caller = actors.staff) =>
    caller.send({ method: 'POST', url: `/api/payment/tasks/${id}/${action}`, payload: {} })
  const readReason = ({ statusCode, json }: { statusCode: number; json(): { data: { why: string } } }) => [
    statusCode,
    json().data.why,
  ]
  const submitOnPage = async (address: string, form: Record<string, string>) => {
    const page = await openGatewayPage(address)
    return await openGatewayPage(page.url, form)
  }
  const sendGatewayCalls = async () => {
    for (const { id, nextAt } of actors.paymentSandbox.sandbox.webhooks.list())
      if (nextAt !== null) {
        await actors.paymentSandbox.sandbox.webhooks.send(id)
        actors.paymentSandbox.sandbox.webhooks.drop(id)
      }
  }
  const readRedirect = (response: { json(): unknown }) => (response.json() as { redirect: string }).redirect
  const signInOrderUser = async () => {
    const id = fixture.server.world.users['user@m18'] ?? 0
    await runAsSystem((db) => db.updateTable('portal_user').set({ orders: true }).where('id', '=', id).execute())
    return await fixture.server.signIn('user@m18')
  }
  /** Returns payments that are neither applied nor have a task, or both. Each must have exactly one of them (decision 62). */
  const findUnaccountedPayments = () =>
    runAsSystem(async (db) => {
      const { rows } = await sql`select p.id from payment p left join payment_task t on t.payment_id = p.id
        where (p.outcome = 'applied') <> (t.id is null)`.execute(db)
      return rows
    })

  /** Pays on a page that is opened for the first time after the order was deleted. */
  async function paidAfterDeletion(type: 'alipay' | 'globalAlipay'): Promise<OrderRow> {
    const order = (
      await placeOrder(actors.buyer, { code: type.toLowerCase(), currency: type === 'alipay' ? 'RMB' : 'HKD' })
    ).json()
    const payer = type === 'alipay' ? actors.buyer : await signInOrderUser()
    const address = readRedirect(await payFor(payer, order.id, { type }))
    await actors.buyer.send({ method: 'DELETE', url: `/api/sorder/${order.id}` })
    await submitOnPage(address, { answer: 'pay' })
    await sendGatewayCalls()
    return order
  }

  /** Pays on a page after the order has expired and another company uses its code. */
  async function paidTooLate(): Promise<OrderRow> {
    const order = (await placeOrder(actors.buyer)).json()
    const address = readRedirect(await payFor(actors.buyer, order.id))
    await advanceClock(8 * dayMs)
    await placeOrder(await fixture.server.signIn('order@beta'), { period_start: '2026-03-10' })
    await submitOnPage(address, { card: '4242 4242 4242 4242' })
    await sendGatewayCalls()
    return order
  }

  return {
    fixture,
    inbox,
    actors,
    balance,
    runAsSystem,
    advanceClock,
    listTasks,
    performAction,
    readReason,
    submitOnPage,
    sendGatewayCalls,
    readRedirect,
    signInOrderUser,
    findUnaccountedPayments,
    paidAfterDeletion,
    paidTooLate,
  }
}
