/** Sends one mail. Each try builds its content again. Failed tries are repeated for most of a day. */
import { writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { type MailAttachment, type MailDriver, MailProblem } from '#server/drivers/mail/mail-driver.ts'
import type { IssuedDocument } from '#server/drivers/pdf/issued-document.ts'
import { writePdf } from '#server/drivers/pdf/write-pdf.ts'
import type { JobKind } from '#server/jobs/job-kind.ts'
import { getPdfName } from '#server/use-cases/documents/read-document.ts'
import type { QueuedMail } from '#server/use-cases/mail/mail-kinds.ts'
import { composeMail } from '#server/use-cases/mail-words/compose-mail.ts'

const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const retryDelaysMs = [
  10 * secondMs,
  30 * secondMs,
  minuteMs,
  2 * minuteMs,
  5 * minuteMs,
  10 * minuteMs,
  15 * minuteMs,
  30 * minuteMs,
]
const hourlyRetries = 18

/** Number of tries, a bit less than two minutes, after which a receipt is sent without its PDF. */
const triesWithPdf = 4

/** Makes the PDF outside of any transaction. A receipt without its PDF is better than none: the invoice is also in the portal. */
async function makeAttachments(
  app: AppContext,
  document: IssuedDocument,
  { tries, logFields }: { tries: number; logFields: { mail: string; id: string } },
): Promise<MailAttachment[]> {
  try {
    return [{ name: getPdfName(document), type: 'application/pdf', bytes: await writePdf(document) }]
  } catch (error) {
    if (tries <= triesWithPdf) throw error
    app.log.error({ event: 'mail_without_invoice', ...logFields, err: error }, 'a receipt is sent without its invoice')
    return []
  }
}

export const createMailJob = (driver: MailDriver): JobKind<QueuedMail, never, null> => ({
  // If the response was lost, the mail server may have accepted the mail. It is then sent again with the same id and link.
  isResumable: true,
  isQuiet: true,
  getRetryDelay: (tries) =>
    retryDelaysMs[Math.max(tries, 1) - 1] ?? (tries <= retryDelaysMs.length + hourlyRetries ? hourMs : null),
  async step({ app, input, tries }) {
    const mail = await writeAsSystem(app, (db) => composeMail(db, app, input))
    const logFields = { mail: input.mail, id: input.id }
    if (mail === null) {
      app.log.info({ event: 'mail_obsolete', ...logFields }, 'a queued mail is obsolete and was not sent')
      return { kind: 'done', output: null }
    }
    const { document, ...message } = mail
    const attachments = document ? await makeAttachments(app, document, { tries, logFields }) : []
    try {
      await driver.send(attachments.length > 0 ? { ...message, attachments } : message)
      app.log.info({ event: 'mail_sent', ...logFields }, 'mail sent')
    } catch (error) {
      if (!(error instanceof MailProblem) || !error.isFinal) throw error
      app.log.error({ event: 'mail_rejected', ...logFields, err: error }, 'the mail server rejected a mail for good')
    }
    return { kind: 'done', output: null }
  },
})
