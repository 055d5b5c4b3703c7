/** Announces changed rights or names of users. Each node notifies the users that are connected to it. */
import type { AppContext } from '#server/context/context.ts'

export const accountsChannel = 'portal_accounts'

/** An account that was changed. With `userId` null, all users of the company are affected. */
export interface ChangedAccount {
  companyId: number
  userId: number | null
}

/** Call it after the commit. If the announcement is lost, the client learns of the change with its next request. */
export const announceAccount = ({ database }: Pick<AppContext, 'database'>, account: ChangedAccount): void =>
  void database.announce(accountsChannel, JSON.stringify(account)).catch(() => undefined)
