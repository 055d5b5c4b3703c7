import type { Config } from '#server/config/config.ts'
import type { MailDriver } from '#server/drivers/mail/mail-driver.ts'
import { createFolderMailDriver } from '#server/drivers/mail/folder.ts'

/** Returns the driver for SMTP, or for files if no mail server is configured. Loads nodemailer with the first mail, not at every start. */
export function chooseMail(config: Config, clock: () => number): MailDriver {
  const { smtpUrl } = config
  if (smtpUrl === null) return createFolderMailDriver(config.dataDir, clock)
  let smtp: Promise<MailDriver> | null = null
  const openSmtp = () =>
    import('#server/drivers/mail/smtp.ts').then(({ createSmtpMailDriver: smtpMail }) => smtpMail(smtpUrl, config))
  return { send: async (mail) => (await (smtp ??= openSmtp())).send(mail) }
}
