/** Announces ended sessions to every node, so that their sockets close at once (S-44). Call it after the commit. */
import type { AppContext } from '#server/context/context.ts'

export const sessionsChannel = 'portal_sessions'

/** If the announcement is lost, the sockets' own check of their sessions closes them (`progress-socket.ts`). */
export const announceEndedSessions = ({ database }: Pick<AppContext, 'database'>): void =>
  void database.announce(sessionsChannel, '').catch(() => undefined)
