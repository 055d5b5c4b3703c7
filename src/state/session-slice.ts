import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import type { AccessLevel, Caller } from '#domain/access.ts'
import type { Problem } from '#contract/problem.ts'
import type { UserRow } from '#contract/users.ts'

/** The signed-in user, as the server last said (M23). */
export type SessionUser = Omit<UserRow, 'id'> & { id: number }

export type SessionState =
  /** Nobody has looked yet: a loading view shows (M10). */
  | { kind: 'unknown'; problem?: Problem }
  /** `previousUser`: whose session ended by itself, as this page showed them. */
  | {
      kind: 'signed out'
      reason: 'noSession' | 'left' | 'ended'
      previousUser?: { name: string; company: string; username: string }
    }
  | { kind: 'signed in'; user: SessionUser; caller: Caller }

const toPerson = ({ name, company_code, email }: SessionUser) => ({ name, company: company_code, username: email })

type SealKeyField = 'seal_key' | 'session_seal_key' | 'seal_keys'

/** What the rules of access need to know of a user. */
export const toCaller = (user: SessionUser): Caller => ({
  userId: user.id,
  companyId: user.company_id,
  companyCode: user.company_code,
  admin: user.admin,
  order: user.order,
  accessLevel: user.access_level as AccessLevel,
})

/** The answer about oneself carries sealing keys too; they belong to the device's store, not to the screen's. */
function toSignedInState(userResponse: SessionUser & Partial<Record<SealKeyField, unknown>>): SessionState {
  const { seal_key: _, session_seal_key: _sessionKey, seal_keys: _older, ...user } = userResponse
  return { kind: 'signed in', user, caller: toCaller(user) }
}

export const session = createSlice({
  name: 'session',
  initialState: { kind: 'unknown' } as SessionState,
  reducers: {
    /** The password was right and the user has been read. */
    signedIn: (_, { payload }: PayloadAction<SessionUser>) => toSignedInState(payload),
    /** `left`: by oneself. `ended`: the server no longer knows the session. `nobody`: there was none to begin with. */
    signedOut: (previous, { payload }: PayloadAction<'noSession' | 'left' | 'ended'>): SessionState => ({
      kind: 'signed out',
      reason: payload,
      ...(payload === 'ended' && previous.kind === 'signed in' ? { previousUser: toPerson(previous.user) } : {}),
    }),
    /** The device has a session, but who that is could not be read. */
    sessionReadFailed: (_, { payload }: PayloadAction<Problem>): SessionState => ({
      kind: 'unknown',
      problem: payload,
    }),
    /** A later reading of the same user: flags and names may have changed. */
    userRead: (_, { payload }: PayloadAction<SessionUser>) => toSignedInState(payload),
  },
})

export const { sessionReadFailed, signedIn, signedOut, userRead } = session.actions
