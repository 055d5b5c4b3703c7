import { type StoredMail, listMail, readMail } from '#server/drivers/mail/folder.ts'
import type { AppContext } from '#server/context/context.ts'

export interface MailBox {
  /** False if mails are sent to a mail server and therefore not stored. */
  isStoring: boolean
  mails: (StoredMail & { name: string })[]
}

export const readMailBox = async ({ config }: AppContext): Promise<MailBox> => {
  const isStoring = config.smtpUrl === null
  return { isStoring, mails: isStoring ? await listMail(config.dataDir) : [] }
}

export const findMail = ({ config }: AppContext, name: string): Promise<StoredMail | null> =>
  readMail(config.dataDir, name)
export type { StoredMail }
