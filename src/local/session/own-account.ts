/**
 * Who is signed in, in words and rights, beside the session and not in the user's own database: where the browser took that one away
 * alone, the portal still opens without a connection (decision 82). Forgotten with the session.
 */
import { type Device, thisDevice } from '#local/storage/device.ts'
import type { Subject } from '#local/storage/records.ts'

interface OwnAccount extends Subject {
  name: typeof recordName
  account: unknown
}

const recordName = 'own-account'
const tableOf = (device: Device) => device.directory.table<OwnAccount, string>('session')

const isSame = (a: Subject | undefined, b: Subject) => a?.companyId === b.companyId && a.userId === b.userId

/** Null: nothing is kept of this user. */
export async function readOwnAccount(subject: Subject, device: Device = thisDevice()): Promise<unknown> {
  const found = await tableOf(device).get(recordName)
  return found && isSame(found, subject) ? found.account : null
}

/** Only while it is their session. */
export async function storeOwnAccount(
  { companyId, userId }: Subject,
  account: unknown,
  device: Device = thisDevice(),
): Promise<void> {
  const { directory } = device
  await directory.transaction('rw', directory.session, async () => {
    const now = await directory.session.get('now')
    if (!now || now.signedOut || !isSame(now.subject ?? undefined, { companyId, userId })) return
    await tableOf(device).put({ name: recordName, companyId, userId, account })
  })
}

/** Inside a transaction over the session. */
export const forgetOwnAccount = async (device: Device): Promise<void> => await tableOf(device).delete(recordName)
