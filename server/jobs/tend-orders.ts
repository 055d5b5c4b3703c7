/**
 * What time does to orders is true by itself; this writes it down and tells people: orders whose time to pay is over, and
 * reminders. Each is a row that is taken in the transaction that asks for the mails, so a kill, or two nodes at once, make
 * none of them twice and lose none.
 */
import { randomBytes } from 'node:crypto'
import { remindersDue, stateOf } from '#domain/contracts.ts'
import { putJob } from '#server/db/jobs.ts'
import {
  alertedUsers,
  numberExpired,
  overdueOrders,
  type RemindedOrder,
  remindedOrders,
  takeReminder,
} from '#server/db/reminders.ts'
import { inScope } from '#server/db/scope.ts'
import { settleCode } from '#server/db/service-codes.ts'
import type { Handle, House } from '#server/house.ts'
import { onClock } from '#server/jobs/clock.ts'
import type { JobKind } from '#server/jobs/kinds.ts'
import { ringForJobs } from '#server/services/jobs.ts'
import { askMail } from '#server/services/mails.ts'
import { mailOf, type OrderMail } from '#server/services/order-mails.ts'
import { momentOf } from '#server/services/moment.ts'

export const tendJob = 'tend-orders'
const hourMs = 3_600_000
const everyMs = 600_000
const firstMs = 5000
/** Of one transaction. */
const most = 50

/** Up to which order reminders were looked for; null: what is overdue comes first. */
type Point = { after: number | null }

export const tendOrders = (): JobKind<unknown, Point, null> => ({
  resumes: true,
  quiet: true,
  async step({ house, point }) {
    const asSystem = <T>(work: (db: Handle) => Promise<T>) => inScope(house, { role: 'portal_system' }, work)
    const after = point?.after ?? null
    if (after === null) {
      const settled = await asSystem((db) => settle(db, house))
      const told = await asSystem((db) => numberExpired(db, momentOf({ house, now: house.clock() }), most))
      if (settled > 0) ringForJobs(house)
      const isThrough = settled < most && told < most
      return { is: 'on', point: { after: isThrough ? 0 : null }, percent: isThrough ? 50 : 10 }
    }
    const { last, sent } = await asSystem((db) => remind(db, house, after))
    if (sent > 0) ringForJobs(house)
    return last === null ? { is: 'done', output: null } : { is: 'on', point: { after: last }, percent: 60 }
  },
})

async function settle(db: Handle, house: House): Promise<number> {
  const now = house.clock()
  const moment = momentOf({ house, now })
  const overdue = await overdueOrders(db, moment, most)
  for (const order of overdue) {
    await settleCode(db, order.code, moment)
    await mailAbout(db, order, 'order-overdue', now)
  }
  return overdue.length
}

async function remind(db: Handle, house: House, after: number): Promise<{ last: number | null; sent: number }> {
  const now = house.clock()
  const moment = momentOf({ house, now })
  const orders = await remindedOrders(db, moment, after, most)
  let sent = 0
  for (const order of orders)
    for (const reminder of remindersDue({ ...order, state: stateOf(order, moment.now) }, moment.today)) {
      if (!(await takeReminder(db, order, reminder, now))) continue
      await mailAbout(db, order, mailOf(reminder), now)
      sent += 1
    }
  return { last: orders.length < most ? null : (orders.at(-1)?.id ?? null), sent }
}

/** In the transaction of what it is about, to everybody of the company who wants such mails. */
async function mailAbout(
  db: Handle,
  order: Pick<RemindedOrder, 'id' | 'company_id'>,
  mail: OrderMail,
  now: number,
): Promise<void> {
  for (const userId of await alertedUsers(db, order.company_id))
    await askMail(db, { companyId: order.company_id, now }, { mail, userId, orderId: order.id })
}

/** Asks for the work of this hour, which whoever is free takes; another node's asking for the same hour is the same row. */
export async function askToTend(house: House): Promise<void> {
  const now = house.clock()
  const hour = String(Math.floor(now / hourMs))
  // The hour alone makes them one.
  const id = randomBytes(16).toString('hex')
  const nobodys = { companyId: 0, userId: 0, intent: hour, progressKey: '', input: {} }
  await inScope(house, { role: 'portal_system' }, (db) =>
    putJob(db, { ...nobodys, id, kind: tendJob, now, deadline: now + hourMs }),
  )
  ringForJobs(house)
}

/** Every ten minutes. Answers how to stop. */
export const tendHourly = (house: House): (() => Promise<void>) =>
  onClock(house, { firstMs, everyMs }, askToTend, 'orders could not be tended')
