/**
 * Sends one mail. Each try builds its content again. Failed tries are repeated for most of a day. If the PDF of a receipt or a refund
 * cannot be made several times, the mail is sent without it.
 */
import { writeAsSystem } from '#server/db/transaction.ts'
import { type MailDriver, type MailMessage, MailProblem } from '#server/drivers/mail/mail-driver.ts'
import { PdfError, writePdf } from '#server/drivers/pdf/write-pdf.ts'
import { type JobContext, type JobKind, RetryLaterError } from '#server/jobs/job-kind.ts'
import { getPdfName } from '#server/use-cases/documents/read-document.ts'
import type { QueuedMail } from '#server/use-cases/mail/mail-kinds.ts'
import { composeMail, type MailToSend } from '#server/use-cases/mail-words/compose-mail.ts'

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

/** Number of times that a PDF may fail before its mail is sent without it. The waits between them are a bit less than two minutes. */
const maxPdfFailures = 4

/** Returns the wait before a mail that failed `tries` times is sent again, or null after most of a day. */
const getRetryDelay = (tries: number) =>
  retryDelaysMs[Math.max(tries, 1) - 1] ?? (tries <= retryDelaysMs.length + hourlyRetries ? hourMs : null)

/** Stored when the PDF could not be made. Failed deliveries do not count here, and each of these failures begins their count again. */
interface MailPoint {
  pdfFailures: number
  /** Epoch ms. */
  retryAt: number
}

type MailJobContext = JobContext<QueuedMail, MailPoint>

/**
 * Returns the mail with the PDF of its document, or null if the PDF could not be made and is to be tried again. Returns the mail without a
 * PDF if that failed too often: a receipt without its PDF is better than none, and the invoice is also in the portal. Makes the PDF outside
 * of any transaction.
 */
async function attachPdf(
  { app, input, point }: MailJobContext,
  { message, attachable }: MailToSend,
): Promise<MailMessage | null> {
  if (!attachable) return message
  const { document, content } = attachable
  const logFields = { mail: input.mail, id: input.id, document: document.number }
  try {
    const bytes = await writePdf(document, { userId: null })
    return { ...message, ...content, attachments: [{ name: getPdfName(document), type: 'application/pdf', bytes }] }
  } catch (error) {
    if (!(error instanceof PdfError)) throw error
    app.log.error({ event: 'pdf_failed', ...logFields, err: error }, 'a PDF could not be made')
    if ((point?.pdfFailures ?? 0) + 1 < maxPdfFailures) return null
    app.log.error({ event: 'mail_without_invoice', ...logFields, err: error }, 'a mail is sent without its document')
    return message
  }
}

function countPdfFailure({ app, point }: MailJobContext): MailPoint {
  const pdfFailures = (point?.pdfFailures ?? 0) + 1
  return { pdfFailures, retryAt: app.clock() + (getRetryDelay(pdfFailures) ?? hourMs) }
}

export const createMailJob = (driver: MailDriver): JobKind<QueuedMail, MailPoint, null> => ({
  // If the response was lost, the mail server may have accepted the mail. It is then sent again with the same id and link.
  isResumable: true,
  isQuiet: true,
  getRetryDelay,
  async step(context) {
    const { app, input, point } = context
    const waitMs = (point?.retryAt ?? 0) - app.clock()
    if (waitMs > 0) throw new RetryLaterError('the PDF of a mail could not be made', waitMs)
    const mail = await writeAsSystem(app, (db) => composeMail(db, app, input))
    const logFields = { mail: input.mail, id: input.id }
    if (mail === null) {
      app.log.info({ event: 'mail_obsolete', ...logFields }, 'a queued mail is obsolete and was not sent')
      return { kind: 'done', output: null }
    }
    const message = await attachPdf(context, mail)
    if (message === null) return { kind: 'on', point: countPdfFailure(context), percent: 0 }
    try {
      await driver.send(message)
      app.log.info({ event: 'mail_sent', ...logFields }, 'mail sent')
    } catch (error) {
      if (!(error instanceof MailProblem) || !error.isFinal) throw error
      app.log.error({ event: 'mail_rejected', ...logFields, err: error }, 'the mail server rejected a mail for good')
    }
    return { kind: 'done', output: null }
  },
})
