/** Says to every node that rights or names of signed-in users have changed; each tells those of them who are connected to it. */
import type { AppContext } from '#server/context/context.ts'

export const accountsChannel = 'portal_accounts'

/** Whose rights or names have changed: one user, or with null everybody of the company. */
export interface ChangedAccount {
  companyId: number
  userId: number | null
}

/** To be called behind the commit. An accelerator: who does not hear of it learns of it by the next refusal or reading. */
export const announceAccount = ({ database }: Pick<AppContext, 'database'>, account: ChangedAccount): void =>
  void database.announce(accountsChannel, JSON.stringify(account)).catch(() => undefined)
