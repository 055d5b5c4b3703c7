/** Mail by SMTP. */
import { createTransport } from 'nodemailer'
import type { Config } from '#server/config/config.ts'
import { type MailMessage, type MailDriver, MailProblem } from '#server/drivers/mail/mail-driver.ts'

/** In ms. A mail server may take half a minute over a mail. */
const timeouts = { connectionTimeout: 15_000, greetingTimeout: 30_000, socketTimeout: 60_000 }

export function createSmtpMailDriver(
  url: string,
  { mailFrom, publicUrl }: Pick<Config, 'mailFrom' | 'publicUrl'>,
): MailDriver {
  // No content of ours names a file or an address to fetch.
  const transport = createTransport({ url, ...timeouts, disableFileAccess: true, disableUrlAccess: true })
  const { hostname } = new URL(publicUrl)
  return {
    async send({ id, to, ...content }: MailMessage) {
      const messageId = `<${id}@${hostname}>`
      // Answered by nobody: a holiday notice must not come back (RFC 3834).
      const headers = { 'Auto-Submitted': 'auto-generated' }
      await transport.sendMail({ from: mailFrom, to, messageId, headers, ...content }).catch(throwMailProblem)
    },
  }
}

function throwMailProblem(error: unknown): never {
  const { code = 'unknown', responseCode } = error as { code?: string; responseCode?: number }
  // Our own login is the operator's to mend, and then the mail goes.
  const isFinal = responseCode !== undefined && responseCode >= 500 && code !== 'EAUTH'
  throw new MailProblem(`the mail server said ${responseCode ?? 'nothing'} (${code})`, isFinal)
}
