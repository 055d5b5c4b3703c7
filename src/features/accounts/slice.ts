/** State of login and logout. Typed values stay in the form and never enter the store. */
import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import { signedIn, signedOut } from '#state/session-slice.ts'
import { type RequestStatus, idleStatus } from '#state/request-status.ts'
import { getLanguage } from '#ui/i18n/messages.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { type LoginCredentials, rootReducer } from '#state/store.ts'
import { catchUnreachable } from '#features/accounts/retry-after.ts'

/** These endpoints import the schemas, so they are loaded on first use, not before the login form is drawn. */
const loadEndpoints = () => import('#contract/public.ts')

interface AccountsState {
  loginStatus: RequestStatus
  resendStatus: RequestStatus | { kind: 'sent'; email: string }
}

const initialState = {
  loginStatus: idleStatus,
  resendStatus: idleStatus,
} as AccountsState

const accountsSlice = createSlice({
  name: 'accounts',
  initialState,
  reducers: {
    changed: (state, { payload }: PayloadAction<Partial<AccountsState>>) => ({ ...state, ...payload }),
  },
})

const injectedSlice = accountsSlice.injectInto(rootReducer)
/** Takes the complete store state as `object`, because no feature knows its type. */
export const selectAccounts = (state: object): AccountsState => injectedSlice.selectSlice(state)
const { changed } = accountsSlice.actions
const sendingStatus: RequestStatus = { kind: 'sending' }

export const resetLogin = () => changed({ loginStatus: idleStatus })

/** Spaces around a code or an e-mail come from pasting and are removed. A password is sent exactly as typed. */
const trimCredentials = ({ company, username, password }: LoginCredentials): LoginCredentials => ({
  company: company.trim(),
  username: username.trim(),
  password,
})

export const login =
  (credentials: LoginCredentials): AppThunk =>
  async (dispatch, _, { signIn: enter }) => {
    dispatch(changed({ loginStatus: sendingStatus, resendStatus: idleStatus }))
    // The code of the sign-in is loaded on first use too, so it may be unreachable.
    const result = await catchUnreachable(async () =>
      enter({ ...trimCredentials(credentials), language: getLanguage() }),
    )
    if (result.kind === 'problem') dispatch(changed({ loginStatus: { kind: 'failed', problem: result.problem } }))
    if (result.kind !== 'fresh') return
    dispatch(resetLogin())
    dispatch(signedIn(result.output.user))
  }

/** Requests another activation mail. Offered if the server accepted the password but the account was never activated (M25). */
export const resendMail =
  (credentials: LoginCredentials): AppThunk =>
  async (dispatch, _, { api }) => {
    const { company, username, password } = trimCredentials(credentials)
    dispatch(changed({ resendStatus: sendingStatus }))
    const body = { username: `${company}:${username}`, password }
    const result = await catchUnreachable(async () => api.call((await loadEndpoints()).resendActivationMail, { body }))
    const resendStatus: AccountsState['resendStatus'] =
      result.kind === 'problem' ? { kind: 'failed', problem: result.problem } : { kind: 'sent', email: username }
    dispatch(changed({ resendStatus }))
  }

/**
 * With `shouldDiscard`, unsent writes are deleted instead of sealed. Without a connection, the device signs out and the server is notified
 * later (protocol 29). Returns false if the sign-out code could not be loaded; then nothing has changed.
 */
export const logout =
  (shouldDiscard = false): AppThunk<boolean> =>
  async (dispatch, _, { signOut: leave }) => {
    try {
      await leave(shouldDiscard)
    } catch {
      return false
    }
    dispatch(signedOut('left'))
    return true
  }
