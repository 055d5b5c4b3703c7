/**
 * Who is signed in, in words and rights, beside the session and not in the user's own database: where the browser took that one away
 * alone, the portal still opens without a connection (decision 82). Forgotten with the session.
 */
import { type Device, getThisDevice, isSameSubject } from '#local/storage/device.ts'
import type { Subject } from '#local/storage/records.ts'

interface OwnAccount extends Subject {
  name: typeof recordName
  account: unknown
}

const recordName = 'own-account'
const getAccountTable = (device: Device) => device.directory.table<OwnAccount, string>('session')

/** Null: nothing is kept of this user. */
export async function readOwnAccount(subject: Subject, device: Device = getThisDevice()): Promise<unknown> {
  const record = await getAccountTable(device).get(recordName)
  return record && isSameSubject(record, subject) ? record.account : null
}

/** Only while it is their session. */
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

/** Inside a transaction over the session. */
export const forgetOwnAccount = async (device: Device): Promise<void> =>
  await getAccountTable(device).delete(recordName)
