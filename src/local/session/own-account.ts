/**
 * Stores name and rights of the signed-in user with the session, outside the user's own database. If the browser deletes only that
 * database, the portal still opens offline (decision 82). Deleted with the session.
 */
import { type Device, getThisDevice, isSameSubject } from '#local/storage/device.ts'
import type { Subject } from '#local/storage/records.ts'

interface OwnAccount extends Subject {
  name: typeof recordName
  account: unknown
}

const recordName = 'own-account'
const getAccountTable = (device: Device) => device.directory.table<OwnAccount, string>('session')

export async function readOwnAccount(subject: Subject, device: Device = getThisDevice()): Promise<unknown> {
  const record = await getAccountTable(device).get(recordName)
  return record && isSameSubject(record, subject) ? record.account : null
}

export async function storeOwnAccount(
  { companyId, userId }: Subject,
  account: unknown,
  device: Device = getThisDevice(),
): Promise<void> {
  const { directory } = device
  await directory.transaction('rw', directory.session, async () => {
    const session = await directory.session.get('now')
    if (!session || session.signedOut || !isSameSubject(session.subject, { companyId, userId })) return
    await getAccountTable(device).put({ name: recordName, companyId, userId, account })
  })
}

/** Must run inside a transaction over the session. */
export const forgetOwnAccount = async (device: Device): Promise<void> =>
  await getAccountTable(device).delete(recordName)
