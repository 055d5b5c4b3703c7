/** The mails of a test server: its jobs worked off by hand, into a box that can be looked into. */
import type { MailMessage, MailDriver } from '#server/drivers/mail/mail-driver.ts'
import { createMailJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import type { AppContext } from '#server/context/context.ts'

export interface MailBox {
  mails: MailMessage[]
  /** Works off all mail that can be sent now; answers what came. */
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

/** The key that a mail's link carries. */
export const readKey = ({ text }: Pick<MailMessage, 'text'>): string => /[?&]otk=([\w-]+)/.exec(text)?.[1] ?? ''
