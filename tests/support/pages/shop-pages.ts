/** Opens pages with a server that sells: the demo catalogue, and Acme with a service and an order in every state. */
import { screen, within } from '@testing-library/dom'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { simulatedPaymentDriver } from '#server/drivers/payment/simulated.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { demoCompanies } from '#demo/sample-data/demo-data.ts'
import { loadCompanies } from '#demo/sample-data/load-demo-data.ts'
import type { PaymentMethods } from '#server/context/payment-methods.ts'
import { hashPassword } from '#server/use-cases/accounts/password-hash.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { openShop, type OrderRow } from '#tests/support/orders/shop-data.ts'
import { emptyTables, restoreSnapshot, type Snapshot, takeSnapshot } from '#tests/support/server/snapshot.ts'
import { workerWide } from '#tests/support/runner/worker-wide.ts'
import { password, type World } from '#tests/support/server/world.ts'

/** Payment methods without gateways. Only the staff's simulated payment is possible. */
const payments: PaymentMethods = {
  findDriver: async (type) => (type === 'simulate' ? simulatedPaymentDriver : null),
  stripeKey: null,
  cardFrame: null,
  types: ['stripe', 'alipay', 'globalAlipay', 'simulate'],
  bankAccounts: [],
  maxPaymentsPerUser: 100,
  close: async () => undefined,
}

/** Test data of the first creation in this worker on that day. Creating it takes longer than most page tests. */
const first = workerWide<{ day: string; world: World; snapshot: Snapshot }>('shop of pages')

/**
 * Like `setUpPages`, with the users `admin@acme`, who orders, and `delete@m18`. `clock: 'machine'` is for real processes, which use the
 * machine's time.
 */
export function setUpShopPages({ clock = 'morning' }: { clock?: 'morning' | 'machine' } = {}) {
  if (clock === 'morning') beginInTheMorning()
  return setUpPages({}, resetToShop)
}

/** Sets the file's clock to ten in the morning in Hong Kong, so that no test crosses the end of the business day. */
function beginInTheMorning(): void {
  const MachineDate = Date
  beforeAll(() => {
    const shift = MachineDate.parse(`${today()}T10:00:00+08:00`) - MachineDate.now()
    const now = () => MachineDate.now() + shift
    class MorningDate extends MachineDate {
      constructor(...args: [] | [string | number | Date]) {
        super(...((args.length === 0 ? [now()] : args) as [number]))
      }
      static override now = now
      static override [Symbol.hasInstance](value: unknown): boolean {
        return value instanceof MachineDate
      }
    }
    vi.stubGlobal('Date', MorningDate)
  })
  afterAll(() => void vi.stubGlobal('Date', MachineDate))
}

async function resetToShop(server: TestServer): Promise<void> {
  const { app, clock } = server
  // The server's clock is set to the page's day.
  clock.now = Date.now()
  app.payments = payments
  const day = today()
  if (first.value?.day === day) {
    await emptyTables(app.database)
    await restoreSnapshot(app.database, first.value.snapshot)
    server.world = structuredClone(first.value.world)
    return
  }
  await server.reset()
  await openAcme(server)
  first.value = { day, world: structuredClone(server.world), snapshot: await takeSnapshot(app.database) }
}

async function openAcme(server: TestServer): Promise<void> {
  const { app, clock, world } = server
  const [listId = 0] = await openShop(server)
  const hash = await hashPassword(password, app.config.argon2)
  const companies = demoCompanies
    .filter(({ code }) => code === 'acme')
    .map((company) => ({ ...company, users: company.users.slice(0, 2) }))
  const staff = world.users['delete@m18'] ?? 0
  await runInTransaction(app, { role: 'portal_system' }, async (db) => {
    await loadCompanies(db, app, { companies, hash, listId, now: clock.now })
    await db.updateTable('portal_user').set({ orders: true }).where('id', '=', staff).execute()
  })
}

type PagesFixture = ReturnType<typeof setUpPages>

export function createUserActions(fixture: PagesFixture) {
  const press = async (name: string | RegExp) => fixture.user.click(await screen.findByRole('button', { name }))
  const dialog = async (name: string | RegExp) => {
    const element = await screen.findByRole('dialog', { name })
    return {
      ...within(element),
      element,
      press: async (label: string | RegExp) =>
        fixture.user.click(await within(element).findByRole('button', { name: label })),
    }
  }
  const findText = (text: string) => screen.findByText(text, { exact: false })
  const noDialog = () => expect.poll(() => document.querySelector('[role=dialog]')).toBeNull()
  const choose = async (button: string | RegExp, item: string, role = 'menuitem') => {
    await press(button)
    await fixture.user.click(await screen.findByRole(role, { name: item }))
  }
  return { press, dialog, noDialog, choose, findText }
}

/** Returns the day in Hong Kong, as the server computes it (D31). */
export const today = () => new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Hong_Kong' }).format(new Date())

/** Returns the company's orders with this code, read by one of its users. */
export async function listOrders(caller: SignedIn, code: string): Promise<OrderRow[]> {
  const { company_id: company } = (await caller.send({ url: '/api/m18s/user' })).json()
  const response = await caller.send({ url: `/api/company/${company}/sorder?searchText=${code}&results=50` })
  return (response.json() as { data: OrderRow[] }).data
}

interface PriceList {
  concurrentUser: object[]
  namedUser: object[]
  module: { code: string }[]
  [field: string]: unknown
}

export const omitFields = <T extends object>(row: T, ...names: string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))

/** Creates a price list as staff, in force from today on. It differs from the previous list by the fields that `change` returns. */
export async function createPriceList(server: TestServer, change: (list: PriceList) => object): Promise<void> {
  const staff = await server.signIn('delete@m18')
  const list = (await staff.send({ url: '/api/price' })).json() as PriceList
  const response = await staff.send({
    method: 'POST',
    url: '/api/pricelist',
    payload: {
      ...omitFields(list, 'id', 'row_version', 'update_time', 'update_user_name'),
      concurrentUser: list.concurrentUser.map((row) => omitFields(row, 'id')),
      namedUser: list.namedUser.map((row) => omitFields(row, 'id')),
      module: list.module.map((row) => omitFields(row, 'id')),
      effective_date: today(),
      desc: 'New',
      confirmed: true,
      ...change(list),
    },
  })
  if (response.statusCode !== 200) throw new Error(`no price list was made: ${response.body}`)
}

/** Sets all prices in RMB to zero in the list that is in force from today on. An earlier version allowed such lists to be confirmed. */
export const makeFreeInRmb = (server: TestServer): Promise<void> =>
  runInTransaction(server.app, { role: 'portal_system' }, async (db) => {
    const list = db.selectFrom('price_list').select(['id', 'content']).where('effective_date', '=', today())
    const { id, content } = await list.executeTakeFirstOrThrow()
    const withFreeRmb = <R extends object>(rows: readonly R[]) => rows.map((row) => ({ ...row, rmb: '0.00' }))
    const { concurrentUser, namedUser, module } = content
    const changed = {
      ...content,
      concurrentUser: withFreeRmb(concurrentUser),
      namedUser: withFreeRmb(namedUser),
      module: withFreeRmb(module),
    }
    await db
      .updateTable('price_list')
      .set({ content: JSON.stringify(changed) })
      .where('id', '=', id)
      .execute()
  })
