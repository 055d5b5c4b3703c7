/** Announces ended sessions to every node, so that their sockets are closed immediately (S-44). */
import type { AppContext } from '#server/context/context.ts'

export const sessionsChannel = 'portal_sessions'

/** Call it after the commit. If the announcement is lost, the sockets' own check of their sessions closes them (`progress-socket.ts`). */
export const announceEndedSessions = ({ database }: Pick<AppContext, 'database'>): void =>
  void database.announce(sessionsChannel, '').catch(() => undefined)
