import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import type { AccessLevel, Caller } from '#domain/access.ts'
import type { Problem } from '#contract/problem.ts'
import type { UserRow } from '#contract/users.ts'

/** The signed-in user from the server's last response (M23). */
export type SessionUser = Omit<UserRow, 'id'> & {
  id: number
  /** End of the consent under which the user acts for a customer, in the business time zone. Otherwise missing. */
  acting_until?: string | undefined
  /** Whether that consent allows changes (decision 116). */
  acting_changes?: boolean | undefined
}

export type SessionState =
  /** The session has not been read yet, or could not be read (`problem`). A loading view is shown (M10). */
  | { kind: 'unknown'; problem?: Problem }
  /** `previousUser`: the user whose session ended automatically, as this page showed them. */
  | {
      kind: 'signed out'
      reason: 'noSession' | 'left' | 'ended'
      previousUser?: { name: string; company: string; username: string }
    }
  | { kind: 'signed in'; user: SessionUser; caller: Caller }

const toPerson = ({ name, company_code, email }: SessionUser) => ({ name, company: company_code, username: email })

type SealKeyField = 'seal_key' | 'session_seal_key' | 'seal_keys'

export const toCaller = (user: SessionUser): Caller => ({
  userId: user.id,
  companyId: user.company_id,
  companyCode: user.company_code,
  admin: user.admin,
  order: user.order,
  accessLevel: user.access_level as AccessLevel,
})

/** Removes the sealing keys that the response contains. They belong on the device and not in the store. */
function toSignedInState(userResponse: SessionUser & Partial<Record<SealKeyField, unknown>>): SessionState {
  const { seal_key: _, session_seal_key: _sessionKey, seal_keys: _older, ...user } = userResponse
  return { kind: 'signed in', user, caller: toCaller(user) }
}

export const session = createSlice({
  name: 'session',
  initialState: { kind: 'unknown' } as SessionState,
  reducers: {
    signedIn: (_, { payload }: PayloadAction<SessionUser>) => toSignedInState(payload),
    /** `left`: the user signed out on this device. `ended`: the session ended otherwise. `noSession`: there was no session at the start. */
    signedOut: (previous, { payload }: PayloadAction<'noSession' | 'left' | 'ended'>): SessionState => ({
      kind: 'signed out',
      reason: payload,
      ...(payload === 'ended' && previous.kind === 'signed in' ? { previousUser: toPerson(previous.user) } : {}),
    }),
    sessionReadFailed: (_, { payload }: PayloadAction<Problem>): SessionState => ({
      kind: 'unknown',
      problem: payload,
    }),
    userRead: (_, { payload }: PayloadAction<SessionUser>) => toSignedInState(payload),
  },
})

export const { sessionReadFailed, signedIn, signedOut, userRead } = session.actions
