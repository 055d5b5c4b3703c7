/** Sends one mail: looked up and made now, sent outside any transaction, tried again for most of a day. */
import { inTransaction } from '#server/db/transaction.ts'
import { type MailDriver, MailProblem } from '#server/drivers/mail/driver.ts'
import type { JobKind } from '#server/jobs/job-kind.ts'
import type { AskedMail } from '#server/use-cases/mail/mail-kinds.ts'
import { mailNow } from '#server/use-cases/mail-words/compose-mail.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const waits = [10 * second, 30 * second, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute]
const hourly = 18

export const sendMail = (driver: MailDriver): JobKind<AskedMail, never, null> => ({
  // Whether a server took a mail whose answer was lost cannot be known: then it goes again, with the same id and link.
  resumes: true,
  quiet: true,
  wait: (tries) => waits[Math.max(tries, 1) - 1] ?? (tries <= waits.length + hourly ? hour : null),
  async step({ app, input }) {
    const mail = await inTransaction(app, { role: 'portal_system' }, (db) => mailNow(db, app, input))
    const about = { mail: input.mail, id: input.id }
    if (mail === null) {
      app.log.info(about, 'a mail has nothing to say any more')
      return { kind: 'done', output: null }
    }
    try {
      await driver.send(mail)
      app.log.info(about, 'mail sent')
    } catch (error) {
      if (!(error instanceof MailProblem) || !error.final) throw error
      app.log.error({ ...about, err: error }, 'a mail was refused and is given up')
    }
    return { kind: 'done', output: null }
  },
})
