/** The state of login and logout. What is typed stays in its form and never comes into the store. */
import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import { signedIn, signedOut } from '#state/session-slice.ts'
import { type RequestStatus, idleStatus } from '#state/request-status.ts'
import { getLanguage } from '#ui/i18n/messages.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { type LoginCredentials, rootReducer } from '#state/store.ts'
import { catchUnreachable } from '#features/accounts/retry-after.ts'

/** The rows of these calls bring the schemas along: fetched when one is asked, not before the login form is drawn. */
const loadEndpoints = () => import('#contract/public.ts')

interface AccountsState {
  loginStatus: RequestStatus
  /** The offer to send the activation mail again, and whether it has been. */
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
/** Takes the complete state, whose type no feature knows. */
export const selectAccounts = (state: object): AccountsState => injectedSlice.selectSlice(state)
const { changed } = accountsSlice.actions
const sendingStatus: RequestStatus = { kind: 'sending' }

/** Forgets the result of an earlier login. */
export const resetLogin = () => changed({ loginStatus: idleStatus })

/** Blanks around a code or an e-mail come from pasting; a password is taken exactly as typed. */
const trimCredentials = ({ company, username, password }: LoginCredentials): LoginCredentials => ({
  company: company.trim(),
  username: username.trim(),
  password,
})

export const login =
  (credentials: LoginCredentials): AppThunk =>
  async (dispatch, _, { signIn: enter }) => {
    dispatch(changed({ loginStatus: sendingStatus, resendStatus: idleStatus }))
    // What signs in is itself fetched when it is first needed, and may be out of reach like everything else.
    const result = await catchUnreachable(async () =>
      enter({ ...trimCredentials(credentials), language: getLanguage() }),
    )
    if (result.kind === 'problem') dispatch(changed({ loginStatus: { kind: 'failed', problem: result.problem } }))
    if (result.kind !== 'fresh') return
    dispatch(resetLogin())
    dispatch(signedIn(result.output.user))
  }

/** The password that was just refused proves that the mail may be asked for (M25). */
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
 * With `shouldDiscard`, unsent writes are thrown away instead of kept sealed. Without a network the device is signed out all the same, and
 * the server is told later (protocol 29). False: what signs out could not be fetched, and nothing has happened.
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
