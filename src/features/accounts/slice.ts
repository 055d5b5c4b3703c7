/** Coming, going and activating: where each asking stands. What is typed stays in its form and never comes here. */
import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import type { Problem } from '#contract/problem.ts'
import { signedIn, signedOut } from '#state/session-slice.ts'
import { type Status, idle } from '#state/request-status.ts'
import { languageNow } from '#ui/i18n/i18n.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { type Credentials, root } from '#state/store.ts'
import { reached } from '#features/accounts/retry-after.ts'

/** The rows of these calls bring the schemas along: fetched when one is asked, not before the login form is drawn. */
const calls = () => import('#contract/public.ts')

/** What the link of the mail turned out to be. */
export type Link =
  | { kind: 'unknown' }
  | { kind: 'good'; setsPassword: boolean }
  | { kind: 'used up'; problem: Problem }
  | { kind: 'done' }

export interface Accounts {
  login: Status
  /** The offer to send the activation mail again, and whether it has been. */
  resend: Status | { kind: 'sent'; email: string }
  link: Link
  activation: Status
}

const initialState = { login: idle, resend: idle, link: { kind: 'unknown' }, activation: idle } as Accounts

export const accounts = createSlice({
  name: 'accounts',
  initialState,
  reducers: {
    loginSent: (state) => ({ ...state, login: { kind: 'sending' }, resend: idle }),
    loginAnswered: (state, { payload }: PayloadAction<Status>) => ({ ...state, login: payload }),
    resendSent: (state) => ({ ...state, resend: { kind: 'sending' } }),
    resendAnswered: (state, { payload }: PayloadAction<Accounts['resend']>) => ({ ...state, resend: payload }),
    /** An activation page opened: what an earlier one left is not its own. */
    linkOpened: (state, { payload }: PayloadAction<Link>) => ({ ...state, link: payload, activation: idle }),
    linkRead: (state, { payload }: PayloadAction<Link>) => ({ ...state, link: payload, activation: idle }),
    activationSent: (state) => ({ ...state, activation: { kind: 'sending' } }),
    activationAnswered: (state, { payload }: PayloadAction<Status>) => ({ ...state, activation: payload }),
  },
})

const own = accounts.injectInto(root)
/** Of the whole state, whose type no feature knows. */
export const selectAccounts = (state: object): Accounts => own.selectSlice(state)
export const { loginSent, loginAnswered, linkOpened } = accounts.actions
const { resendSent, resendAnswered, linkRead, activationSent, activationAnswered } = accounts.actions

const failed = (problem: Problem): Status => ({ kind: 'failed', problem })

/** Blanks around a code or an e-mail come from pasting; a password is taken exactly as typed. */
export const tidied = ({ company, username, password }: Credentials): Credentials => ({
  company: company.trim(),
  username: username.trim(),
  password,
})

export const login =
  (credentials: Credentials): AppThunk =>
  async (dispatch, _, { enter }) => {
    dispatch(loginSent())
    // What signs in is itself fetched when it is first needed, and may be out of reach like everything else.
    const result = await reached(async () => enter({ ...tidied(credentials), language: languageNow() }))
    if (result.kind === 'problem') dispatch(loginAnswered(failed(result.problem)))
    if (result.kind !== 'fresh') return
    dispatch(loginAnswered(idle))
    dispatch(signedIn(result.output.user))
  }

/** The password that was just refused proves that the mail may be asked for (M25). */
export const resendMail =
  (credentials: Credentials): AppThunk =>
  async (dispatch, _, { api }) => {
    const { company, username, password } = tidied(credentials)
    dispatch(resendSent())
    const body = { username: `${company}:${username}`, password }
    const result = await reached(async () => api.call((await calls()).resendActivationMail, { body }))
    const answer: Accounts['resend'] =
      result.kind === 'problem' ? failed(result.problem) : { kind: 'sent', email: username }
    dispatch(resendAnswered(answer))
  }

/**
 * With `discard`, unsent writes are thrown away instead of kept sealed. Never fails: without a network the device is signed out all
 * the same, and the server is told later (protocol 29).
 */
export const logout =
  (discard = false): AppThunk =>
  async (dispatch, _, { leave }) => {
    await leave(discard)
    dispatch(signedOut('left'))
  }

export const readLink =
  (otk: string): AppThunk =>
  async (dispatch, _, { api }) => {
    dispatch(linkRead({ kind: 'unknown' }))
    const result = await reached(async () => api.call((await calls()).checkActivation, { query: { otk } }))
    if (result.kind === 'fresh')
      dispatch(linkRead({ kind: 'good', setsPassword: result.output.code === 'SET_PASSWORD' }))
    if (result.kind === 'problem') dispatch(afterProblem(result.problem))
  }

/** Null: the account has a password already, and only wants to be activated. */
export const activate =
  (otk: string, password: string | null): AppThunk =>
  async (dispatch, _, { api }) => {
    dispatch(activationSent())
    const body = { otk, ...(password === null ? {} : { password }) }
    const result = await reached(async () => api.call((await calls()).activateUser, { body }))
    if (result.kind === 'fresh') dispatch(linkRead({ kind: 'done' }))
    if (result.kind === 'problem') dispatch(afterProblem(result.problem))
  }

const endsLink = new Set(['INVALID_ACTIVATE_KEY', 'NO_ACTIVATE_KEY', 'USER_STATUS_INVALID', 'USER_NOT_EXIST'])

/** Some problems end the link; after the others (a weak password, no network) it works as before. */
const afterProblem = (problem: Problem) =>
  endsLink.has(problem.code) ? linkRead({ kind: 'used up', problem }) : activationAnswered(failed(problem))
