/** What was mailed, to be read where no mail server is: the demo's mail box. */
import { type StoredMail, listMail, readMail } from '#server/drivers/mail/folder.ts'
import type { AppContext } from '#server/context/context.ts'

export interface MailBox {
  /** False: mails go to a mail server, and none is kept here. */
  keeps: boolean
  mails: (StoredMail & { name: string })[]
}

export const mailBox = async ({ config }: AppContext): Promise<MailBox> => {
  const keeps = config.smtpUrl === null
  return { keeps, mails: keeps ? await listMail(config.dataDir) : [] }
}

export const mailNamed = ({ config }: AppContext, name: string): Promise<StoredMail | null> =>
  readMail(config.dataDir, name)
export type { StoredMail }
