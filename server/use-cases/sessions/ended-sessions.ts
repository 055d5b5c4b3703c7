/** Says to every node that sessions have ended, so that their sockets close at once (S-44). To be called behind the commit. */
import type { AppContext } from '#server/context/context.ts'

export const sessionsChannel = 'portal_sessions'

/** Where it cannot be said, the sockets' own look at their sessions finds it out (`progress-socket.ts`). */
export const announceEndedSessions = ({ database }: Pick<AppContext, 'database'>): void =>
  void database.announce(sessionsChannel, '').catch(() => undefined)
