/** Collects the mails of a test server. The test runs the mail jobs and reads the messages. */
import type { MailMessage, MailDriver } from '#server/drivers/mail/mail-driver.ts'
import { createMailJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import type { AppContext } from '#server/context/context.ts'

export interface MailBox {
  mails: MailMessage[]
  /** Runs all due mail jobs and returns the new mails. */
  fetch(): Promise<MailMessage[]>
}

export function createMailBox(getApp: () => AppContext): MailBox {
  const mails: MailMessage[] = []
  const driver: MailDriver = { send: async (mail) => void mails.push(mail) }
  return {
    mails,
    async fetch() {
      const countBefore = mails.length
      while (await runOneJob(getApp(), createMailJobKinds(driver)));
      return mails.slice(countBefore)
    },
  }
}

export const readKey = ({ text }: Pick<MailMessage, 'text'>): string => /[?&]otk=([\w-]+)/.exec(text)?.[1] ?? ''
