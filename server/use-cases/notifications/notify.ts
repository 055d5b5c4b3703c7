/**
 * Creates notifications in the transaction of the event that they report. So an event that is rolled back or repeated leaves none or one.
 */
import type { ProblemCode } from '#contract/problem.ts'
import { PROVIDER } from '#domain/access.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findListedOrderId } from '#server/db/hosting/services.ts'
import { insertNotification, type NewNotification } from '#server/db/notifications/notifications.ts'
import { listAlertedAdmins, listAlertedUsers, listOrderingUsers } from '#server/db/orders/reminders.ts'

/** Creates the notification of each user who wants it. Returns how many users got it. */
export async function notifyUsers(
  db: DatabaseHandle,
  userIds: Iterable<number>,
  notification: NewNotification,
  now: number,
): Promise<number> {
  let count = 0
  // In the order of their ids, so that transactions do not wait for each other in a circle.
  for (const userId of [...new Set(userIds)].toSorted((a, b) => a - b))
    if (await insertNotification(db, userId, notification, now)) count += 1
  return count
}

interface EndedTask {
  id: string
  /** Name of the endpoint that started it. */
  task: string
  user_id: number
  input: unknown
}

/** Notifies the user who has started a long request. `problem` is null if it succeeded. Runs in the transaction that ends the job. */
export async function notifyOfTask(
  db: DatabaseHandle,
  job: EndedTask,
  problem: ProblemCode | null,
  now: number,
): Promise<void> {
  if (job.user_id === 0) return
  const { code, companyId } = job.input as { code?: unknown; companyId?: unknown }
  const service = typeof code === 'string' ? code : null
  const orderId =
    service !== null && typeof companyId === 'number' ? await findListedOrderId(db, { companyId, code: service }) : null
  await notifyUsers(
    db,
    [job.user_id],
    {
      kind: problem === null ? 'task-done' : 'task-failed',
      eventKey: `task ${job.id}`,
      orderId,
      facts: {
        task: job.task,
        ...(service === null ? {} : { code: service }),
        ...(problem === null ? {} : { problem }),
      },
    },
    now,
  )
}

interface ChangedService {
  id: number
  company_id: number
  code: string
  row_version: number
}

/** Notifies the users with the alert flag, and the provider's alerted admins. Runs as the system role. */
export async function notifyOfService(
  db: DatabaseHandle,
  { id, company_id: companyId, code, row_version: version }: ChangedService,
  kind: 'service-down' | 'service-up',
  now: number,
): Promise<void> {
  const userIds = [...(await listAlertedUsers(db, companyId)), ...(await listAlertedAdmins(db, PROVIDER))]
  const orderId = await findListedOrderId(db, { companyId, code })
  await notifyUsers(db, userIds, { kind, eventKey: `${kind} ${id} ${version}`, orderId, facts: { code } }, now)
}

/** Notifies the company's users with the order right that the provider's staff have deleted an unpaid order. */
export async function notifyOfRemovedOrder(
  db: DatabaseHandle,
  companyId: number,
  { id, code, type }: { id: number; code: string; type: string },
  now: number,
): Promise<void> {
  const eventKey = `order-removed ${id}`
  const facts = { code, type }
  await notifyUsers(
    db,
    await listOrderingUsers(db, companyId),
    { kind: 'order-removed', eventKey, orderId: null, facts },
    now,
  )
}
