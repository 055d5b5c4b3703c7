/** Coming, going and activating: where each asking stands. What is typed stays in its form and never comes here. */
import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import type { Problem } from '#contract/problem.ts'
import { signedIn, signedOut } from '#state/session-slice.ts'
import { type RequestStatus, idleStatus } from '#state/request-status.ts'
import { getLanguage } from '#ui/i18n/messages.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { type LoginCredentials, rootReducer } from '#state/store.ts'
import { catchUnreachable } from '#features/accounts/retry-after.ts'

/** The rows of these calls bring the schemas along: fetched when one is asked, not before the login form is drawn. */
const loadEndpoints = () => import('#contract/public.ts')

/** What the link of the mail turned out to be. */
export type LinkState =
  | { kind: 'unknown' }
  | { kind: 'good'; shouldSetPassword: boolean }
  | { kind: 'used up'; problem: Problem }
  | { kind: 'done' }

export interface AccountsState {
  loginStatus: RequestStatus
  /** The offer to send the activation mail again, and whether it has been. */
  resendStatus: RequestStatus | { kind: 'sent'; email: string }
  linkState: LinkState
  activationStatus: RequestStatus
}

const initialState = {
  loginStatus: idleStatus,
  resendStatus: idleStatus,
  linkState: { kind: 'unknown' },
  activationStatus: idleStatus,
} as AccountsState

export const accountsSlice = createSlice({
  name: 'accounts',
  initialState,
  reducers: {
    loginSent: (state) => ({ ...state, loginStatus: { kind: 'sending' }, resendStatus: idleStatus }),
    loginAnswered: (state, { payload }: PayloadAction<RequestStatus>) => ({ ...state, loginStatus: payload }),
    resendSent: (state) => ({ ...state, resendStatus: { kind: 'sending' } }),
    resendAnswered: (state, { payload }: PayloadAction<AccountsState['resendStatus']>) => ({
      ...state,
      resendStatus: payload,
    }),
    /** An activation page opened: what an earlier one left is not its own. */
    linkOpened: (state, { payload }: PayloadAction<LinkState>) => ({
      ...state,
      linkState: payload,
      activationStatus: idleStatus,
    }),
    linkRead: (state, { payload }: PayloadAction<LinkState>) => ({
      ...state,
      linkState: payload,
      activationStatus: idleStatus,
    }),
    activationSent: (state) => ({ ...state, activationStatus: { kind: 'sending' } }),
    activationAnswered: (state, { payload }: PayloadAction<RequestStatus>) => ({ ...state, activationStatus: payload }),
  },
})

const injectedSlice = accountsSlice.injectInto(rootReducer)
/** Of the whole state, whose type no feature knows. */
export const selectAccounts = (state: object): AccountsState => injectedSlice.selectSlice(state)
export const { loginSent, loginAnswered, linkOpened } = accountsSlice.actions
const { resendSent, resendAnswered, linkRead, activationSent, activationAnswered } = accountsSlice.actions

const toFailedStatus = (problem: Problem): RequestStatus => ({ kind: 'failed', problem })

/** Blanks around a code or an e-mail come from pasting; a password is taken exactly as typed. */
export const trimCredentials = ({ company, username, password }: LoginCredentials): LoginCredentials => ({
  company: company.trim(),
  username: username.trim(),
  password,
})

export const login =
  (credentials: LoginCredentials): AppThunk =>
  async (dispatch, _, { signIn: enter }) => {
    dispatch(loginSent())
    // What signs in is itself fetched when it is first needed, and may be out of reach like everything else.
    const result = await catchUnreachable(async () =>
      enter({ ...trimCredentials(credentials), language: getLanguage() }),
    )
    if (result.kind === 'problem') dispatch(loginAnswered(toFailedStatus(result.problem)))
    if (result.kind !== 'fresh') return
    dispatch(loginAnswered(idleStatus))
    dispatch(signedIn(result.output.user))
  }

/** The password that was just refused proves that the mail may be asked for (M25). */
export const resendMail =
  (credentials: LoginCredentials): AppThunk =>
  async (dispatch, _, { api }) => {
    const { company, username, password } = trimCredentials(credentials)
    dispatch(resendSent())
    const body = { username: `${company}:${username}`, password }
    const result = await catchUnreachable(async () => api.call((await loadEndpoints()).resendActivationMail, { body }))
    const status: AccountsState['resendStatus'] =
      result.kind === 'problem' ? toFailedStatus(result.problem) : { kind: 'sent', email: username }
    dispatch(resendAnswered(status))
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

export const checkActivationLink =
  (otk: string): AppThunk =>
  async (dispatch, _, { api }) => {
    dispatch(linkRead({ kind: 'unknown' }))
    const result = await catchUnreachable(async () =>
      api.call((await loadEndpoints()).checkActivation, { query: { otk } }),
    )
    if (result.kind === 'fresh')
      dispatch(linkRead({ kind: 'good', shouldSetPassword: result.output.code === 'SET_PASSWORD' }))
    if (result.kind === 'problem') dispatch(toLinkAction(result.problem))
  }

/** Null: the account has a password already, and only wants to be activated. */
export const activate =
  (otk: string, password: string | null): AppThunk =>
  async (dispatch, _, { api }) => {
    dispatch(activationSent())
    const body = { otk, ...(password === null ? {} : { password }) }
    const result = await catchUnreachable(async () => api.call((await loadEndpoints()).activateUser, { body }))
    if (result.kind === 'fresh') dispatch(linkRead({ kind: 'done' }))
    if (result.kind === 'problem') dispatch(toLinkAction(result.problem))
  }

const linkEndingCodes = new Set(['INVALID_ACTIVATE_KEY', 'NO_ACTIVATE_KEY', 'USER_STATUS_INVALID', 'USER_NOT_EXIST'])

/** Some problems end the link; after the others (a weak password, no network) it works as before. */
const toLinkAction = (problem: Problem) =>
  linkEndingCodes.has(problem.code)
    ? linkRead({ kind: 'used up', problem })
    : activationAnswered(toFailedStatus(problem))
