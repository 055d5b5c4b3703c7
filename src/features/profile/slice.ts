/** The own account's asking: of the profile's form and of the password's. What is typed stays in its form. */
import { type PayloadAction, type ThunkAction, type UnknownAction, createSlice } from '@reduxjs/toolkit'
import { changePassword, getUser, updateOwnUser, uploadAsset } from '#contract/accounts.ts'
import type { Problem } from '#contract/problem.ts'
import type { UserRow } from '#contract/users.ts'
import { type Shown, versionOf } from '#local/view.ts'
import type { Result } from '#request/result.ts'
import { type SessionUser, signedOut, userRead } from '#state/session.ts'
import { afterSending, type Sending, unsent } from '#state/sending.ts'
import { type Status, idle } from '#state/status.ts'
import { type Extra, type RootState, root } from '#state/store.ts'
import type { Changes } from '#features/profile/form.ts'

type Thunk<T> = ThunkAction<Promise<T>, RootState, Extra, UnknownAction>

export interface Profile extends Sending {
  password: Status
}

const initialState: Profile = { ...unsent, password: idle }

export const profile = createSlice({
  name: 'profile',
  initialState,
  reducers: {
    formOpened: (state) => ({ ...state, ...unsent }),
    formTold: (state, { payload }: PayloadAction<Partial<Sending>>) => ({ ...state, ...payload }),
    passwordSent: (state) => ({ ...state, password: { is: 'sending' } }),
    passwordAnswered: (state, { payload }: PayloadAction<Status>) => ({ ...state, password: payload }),
  },
  extraReducers: (builder) => builder.addCase(signedOut, () => initialState),
})

const own = profile.injectInto(root)
/** Of the whole state, whose type no feature knows. */
export const selectProfile = (state: object): Profile => own.selectSlice(state)
export const { formOpened, passwordAnswered } = profile.actions
const { formTold, passwordSent } = profile.actions

const failed = (problem: Problem): Status => ({ is: 'failed', problem })

/** What a picture was called when it was sent: saved again after a refusal it is not sent a second time. */
const names = new WeakMap<Blob, string>()

/** The picture's id, or `~{intent}` while it waits on the device; first the file, then the write that names it. */
const upload =
  (picture: File): Thunk<{ name: string } | { problem: Problem }> =>
  async (_dispatch, _getState, { api }) => {
    const known = names.get(picture)
    if (known) return { name: known }
    const result = await api.ask(uploadAsset, { body: { avatar: picture } })
    if (result.kind === 'problem') return { problem: result.problem }
    const name = result.kind === 'queued' ? `~${result.intent}` : result.kind === 'fresh' ? result.output.id : ''
    names.set(picture, name)
    return { name }
  }

/** `picture`: a new one, null to take it away, undefined to leave it. */
export const save =
  (opened: Shown<UserRow>, { picture, ...named }: Changes): Thunk<Result<unknown>> =>
  async (dispatch, getState, { api }) => {
    dispatch(formTold({ form: { is: 'sending' } }))
    const { intent } = selectProfile(getState())
    const sent = picture ? await dispatch(upload(picture)) : { name: null }
    if ('problem' in sent) {
      const refused = { kind: 'problem', problem: sent.problem } as const
      dispatch(formTold({ form: afterSending(refused).form }))
      return refused
    }
    const body = { ...named, ...(picture === undefined ? {} : { avatar: sent.name }) }
    const { row } = opened
    const base = { rowVersion: versionOf(opened), values: { name: row.name, avatar: row.avatar } }
    const asked = { params: { id: row.id }, body }
    const result = await api.ask(updateOwnUser, asked, { base, ...(intent === null ? {} : { intent }) })
    dispatch(formTold(afterSending(result)))
    if (result.kind === 'fresh') await dispatch(readOwn())
    return result
  }

/** The frame shows name and picture as well, and the device keeps this reading for its next start. */
export const readOwn =
  (): Thunk<void> =>
  async (dispatch, _getState, { api }) => {
    const result = await api.ask(getUser, {})
    // Oneself always has a number.
    if (result.kind === 'fresh') dispatch(userRead(result.output as SessionUser))
  }

/** Never kept on the device: the contract calls it a secret. */
export const setPassword =
  (original: string, chosen: string): Thunk<Result<unknown>> =>
  async (dispatch, _getState, { api }) => {
    dispatch(passwordSent())
    const result = await api.ask(changePassword, { body: { orgPwd: original, newPwd: chosen } })
    dispatch(passwordAnswered(result.kind === 'problem' ? failed(result.problem) : idle))
    return result
  }
