/** Pages over a server that sells: the demo world's catalogue, and Acme with a service and an order in every state. */
import { screen, within } from '@testing-library/dom'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { simulatedPayment } from '#server/drivers/payment/simulated.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { demoCompanies } from '#demo/sample-data/demo-data.ts'
import { loadCompanies } from '#demo/sample-data/load-demo-data.ts'
import type { Payments } from '#server/context/payment-methods.ts'
import { hashPassword } from '#server/use-cases/accounts/password-hash.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { openShop, type Ordered } from '#tests/support/orders/shop-data.ts'
import { emptyTables, putBack, type Snapshot, takeSnapshot } from '#tests/support/server/snapshot.ts'
import { workerWide } from '#tests/support/runner/worker-wide.ts'
import { password, type World } from '#tests/support/server/world.ts'

/** No gateway: only the staff's payment that takes no money can be made. */
const payments: Payments = {
  driver: async (type) => (type === 'simulate' ? simulatedPayment : null),
  stripeKey: null,
  cardFrame: null,
  types: ['stripe', 'alipay', 'globalAlipay', 'simulate'],
  perUser: 100,
  close: async () => undefined,
}

/** As it was made first in this worker on that day: to make it takes longer than most pages do. */
const first = workerWide<{ day: string; world: World; snapshot: Snapshot }>('shop of pages')

/** As `setUpPages`; `admin@acme` orders, and `delete@m18`. `clock: 'machine'`: with real processes, which write the machine's time. */
export function setUpShopPages({ clock = 'morning' }: { clock?: 'morning' | 'machine' } = {}) {
  if (clock === 'morning') beginInTheMorning()
  return setUpPages({}, resetToShop)
}

/** The file begins at ten in Hong Kong, whenever it is run: no test of it may meet the end of the business day. */
function beginInTheMorning(): void {
  const MachineDate = Date
  beforeAll(() => {
    const shift = MachineDate.parse(`${today()}T10:00:00+08:00`) - MachineDate.now()
    const now = () => MachineDate.now() + shift
    class MorningDate extends MachineDate {
      constructor(...given: [] | [string | number | Date]) {
        super(...((given.length === 0 ? [now()] : given) as [number]))
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
  // The pages' day is the server's.
  clock.now = Date.now()
  app.payments = payments
  const day = today()
  if (first.it?.day === day) {
    await emptyTables(app.database)
    await putBack(app.database, first.it.snapshot)
    server.world = structuredClone(first.it.world)
    return
  }
  await server.reset()
  await openAcme(server)
  first.it = { day, world: structuredClone(server.world), snapshot: await takeSnapshot(app.database) }
}

async function openAcme(server: TestServer): Promise<void> {
  const { app, clock, world } = server
  const [listId = 0] = await openShop(server)
  const hash = await hashPassword(password, app.config.argon2)
  const companies = demoCompanies
    .filter(({ code }) => code === 'acme')
    .map((company) => ({ ...company, users: company.users.slice(0, 2) }))
  const staff = world.users['delete@m18'] ?? 0
  await inTransaction(app, { role: 'portal_system' }, async (db) => {
    await loadCompanies(db, app, { companies, hash, listId, now: clock.now })
    await db.updateTable('portal_user').set({ orders: true }).where('id', '=', staff).execute()
  })
}

type Pages = ReturnType<typeof setUpPages>

/** The ways of who sits before these pages. */
export function handsOn(the: Pages) {
  const press = async (name: string | RegExp) => the.user.click(await screen.findByRole('button', { name }))
  /** What a dialog of that name stands over the page with. */
  const dialog = async (name: string | RegExp) => {
    const found = await screen.findByRole('dialog', { name })
    return {
      ...within(found),
      element: found,
      press: async (label: string | RegExp) =>
        the.user.click(await within(found).findByRole('button', { name: label })),
    }
  }
  /** The text is shown, alone or in a longer one. */
  const says = (text: string) => screen.findByText(text, { exact: false })
  const noDialog = () => expect.poll(() => document.querySelector('[role=dialog]')).toBeNull()
  const choose = async (button: string | RegExp, item: string, role = 'menuitem') => {
    await press(button)
    await the.user.click(await screen.findByRole(role, { name: item }))
  }
  return { press, dialog, noDialog, choose, says }
}

/** The day in Hong Kong, as the server reckons it (D31). */
export const today = () => new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Hong_Kong' }).format(new Date())

/** A company's orders of that code, as its own person is told of them. */
export async function ordersOf(by: SignedIn, code: string): Promise<Ordered[]> {
  const { company_id: company } = (await by.send({ url: '/api/m18s/user' })).json()
  const answer = await by.send({ url: `/api/company/${company}/sorder?searchText=${code}&results=50` })
  return (answer.json() as { data: Ordered[] }).data
}

interface Prices {
  concurrentUser: object[]
  namedUser: object[]
  module: { code: string }[]
  [field: string]: unknown
}

export const without = <T extends object>(row: T, ...names: string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))

/** A list that is in force from today on and differs from the one before by `changed`, as the provider's staff make it. */
export async function newPrices(server: TestServer, changed: (list: Prices) => object): Promise<void> {
  const staff = await server.signIn('delete@m18')
  const list = (await staff.send({ url: '/api/price' })).json() as Prices
  const made = await staff.send({
    method: 'POST',
    url: '/api/pricelist',
    payload: {
      ...without(list, 'id', 'row_version', 'update_time', 'update_user_name'),
      concurrentUser: list.concurrentUser.map((row) => without(row, 'id')),
      namedUser: list.namedUser.map((row) => without(row, 'id')),
      module: list.module.map((row) => without(row, 'id')),
      effective_date: today(),
      desc: 'New',
      confirmed: true,
      ...changed(list),
    },
  })
  if (made.statusCode !== 200) throw new Error(`no price list was made: ${made.body}`)
}

/** As a version that let such a list be confirmed: by the list in force from today on nothing costs anything in RMB. */
export const makeFreeInRmb = (server: TestServer): Promise<void> =>
  inTransaction(server.app, { role: 'portal_system' }, async (db) => {
    const list = db.selectFrom('price_list').select(['id', 'content']).where('effective_date', '=', today())
    const { id, content } = await list.executeTakeFirstOrThrow()
    const free = <R extends object>(rows: readonly R[]) => rows.map((row) => ({ ...row, rmb: '0.00' }))
    const { concurrentUser, namedUser, module } = content
    const changed = {
      ...content,
      concurrentUser: free(concurrentUser),
      namedUser: free(namedUser),
      module: free(module),
    }
    await db
      .updateTable('price_list')
      .set({ content: JSON.stringify(changed) })
      .where('id', '=', id)
      .execute()
  })
