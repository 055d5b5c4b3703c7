import { createTransport } from 'nodemailer'
import type { Config } from '#server/config/config.ts'
import {
  type MailAttachment,
  type MailMessage,
  type MailDriver,
  MailProblem,
} from '#server/drivers/mail/mail-driver.ts'

/** Timeouts in ms. A mail server may take half a minute for one mail. */
const timeouts = { connectionTimeout: 15_000, greetingTimeout: 30_000, socketTimeout: 60_000 }

export function createSmtpMailDriver(
  url: string,
  { mailFrom, publicUrl }: Pick<Config, 'mailFrom' | 'publicUrl'>,
): MailDriver {
  // The portal's mails refer to no files or URLs, so reading them is disabled.
  const transport = createTransport({ url, ...timeouts, disableFileAccess: true, disableUrlAccess: true })
  const { hostname } = new URL(publicUrl)
  return {
    async send({ id, to, attachments = [], ...content }: MailMessage) {
      const messageId = `<${id}@${hostname}>`
      // This header prevents automatic replies such as holiday notices (RFC 3834).
      const headers = { 'Auto-Submitted': 'auto-generated' }
      const mail = {
        from: mailFrom,
        to,
        messageId,
        headers,
        ...content,
        attachments: attachments.map(toSmtpAttachment),
      }
      await transport.sendMail(mail).catch(throwMailProblem)
    },
  }
}

const toSmtpAttachment = ({ name, type, bytes }: MailAttachment) => ({
  filename: name,
  contentType: type,
  content: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
})

function throwMailProblem(error: unknown): never {
  const { code = 'unknown', responseCode } = error as { code?: string; responseCode?: number }
  // A failed login (EAUTH) is not final: the operator can fix the settings, and then the mail is sent.
  const isFinal = responseCode !== undefined && responseCode >= 500 && code !== 'EAUTH'
  throw new MailProblem(`the mail server responded ${responseCode ?? 'nothing'} (${code})`, isFinal)
}
