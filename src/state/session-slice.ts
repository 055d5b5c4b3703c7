import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import type { AccessLevel, Caller } from '#domain/access.ts'
import type { Problem } from '#contract/problem.ts'
import type { UserRow } from '#contract/users.ts'

/** The signed-in user, as the server last said (M23). */
export type SessionUser = Omit<UserRow, 'id'> & { id: number }

export type Session =
  /** Nobody has looked yet: a loading view shows (M10). */
  | { kind: 'unknown'; problem?: Problem }
  /** `was`: whose session ended by itself, as this page showed them. */
  | { kind: 'signed out'; because: 'nobody' | 'left' | 'ended'; was?: string }
  | { kind: 'signed in'; user: SessionUser; caller: Caller }

type SealKeys = 'seal_key' | 'session_seal_key' | 'seal_keys'

/** What the rules of access need to know of a user. */
export const callerOf = (user: SessionUser): Caller => ({
  userId: user.id,
  companyId: user.company_id,
  companyCode: user.company_code,
  admin: user.admin,
  order: user.order,
  accessLevel: user.access_level as AccessLevel,
})

/** The answer about oneself carries sealing keys too; they belong to the device's store, not to the screen's. */
function signedInAs(read: SessionUser & Partial<Record<SealKeys, unknown>>): Session {
  const { seal_key: _, session_seal_key: _newest, seal_keys: _older, ...user } = read
  return { kind: 'signed in', user, caller: callerOf(user) }
}

export const session = createSlice({
  name: 'session',
  initialState: { kind: 'unknown' } as Session,
  reducers: {
    /** The password was right and the user has been read. */
    signedIn: (_, { payload }: PayloadAction<SessionUser>) => signedInAs(payload),
    /** `left`: by oneself. `ended`: the server no longer knows the session. `nobody`: there was none to begin with. */
    signedOut: (state, { payload }: PayloadAction<'nobody' | 'left' | 'ended'>): Session => ({
      kind: 'signed out',
      because: payload,
      ...(payload === 'ended' && state.kind === 'signed in' ? { was: state.user.name } : {}),
    }),
    /** The device has a session, but who that is could not be read. */
    sessionUnread: (_, { payload }: PayloadAction<Problem>): Session => ({ kind: 'unknown', problem: payload }),
    /** A later reading of the same user: flags and names may have changed. */
    userRead: (_, { payload }: PayloadAction<SessionUser>) => signedInAs(payload),
  },
})

export const { sessionUnread, signedIn, signedOut, userRead } = session.actions
