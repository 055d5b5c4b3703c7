/** The mails of a test server: its jobs worked off by hand, into a box that can be looked into. */
import type { Mail, MailDriver } from '#server/drivers/mail/driver.ts'
import { mailKinds } from '#server/jobs/registry.ts'
import { workOne } from '#server/jobs/runner.ts'
import type { AppContext } from '#server/context/context.ts'

export interface Box {
  mails: Mail[]
  /** Works off all mail that can be sent now; answers what came. */
  fetch(): Promise<Mail[]>
}

export function mailBox(app: () => AppContext): Box {
  const mails: Mail[] = []
  const driver: MailDriver = { send: async (mail) => void mails.push(mail) }
  return {
    mails,
    async fetch() {
      const before = mails.length
      while (await workOne(app(), mailKinds(driver)));
      return mails.slice(before)
    },
  }
}

/** The key that a mail's link carries. */
export const keyIn = ({ text }: Pick<Mail, 'text'>): string => /[?&]otk=([\w-]+)/.exec(text)?.[1] ?? ''
