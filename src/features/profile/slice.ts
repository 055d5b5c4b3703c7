/** The own account in the store: how the profile's and the password's form are being sent. What is typed stays in its form. */
import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import { changePassword, getUser, updateOwnUser, uploadAsset } from '#contract/accounts.ts'
import type { UserRow } from '#contract/users.ts'
import { type OverlaidRow, versionOf } from '#local/lists/list-view.ts'
import type { Api, Result } from '#request/results.ts'
import { type SessionUser, signedOut, userRead } from '#state/session-slice.ts'
import { type Sending, unsent } from '#state/form-status.ts'
import { addFormCases, createFormThunk } from '#state/form-thunk.ts'
import { type Status, idle } from '#state/request-status.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { root } from '#state/store.ts'
import type { Changes } from '#features/profile/form.ts'

/** What a picture was called when it was sent: saved again after a refusal it is not sent a second time. */
const names = new WeakMap<Blob, string>()

/** The picture's id, or `~{intent}` while it waits on the device; first the file, then the write that names it. */
async function upload(api: Api, picture: File) {
  const known = names.get(picture)
  if (known) return { name: known }
  const result = await api.call(uploadAsset, { body: { avatar: picture } })
  if (result.kind === 'problem') return { problem: result.problem }
  const name = result.kind === 'queued' ? `~${result.intent}` : result.kind === 'fresh' ? result.output.id : ''
  names.set(picture, name)
  return { name }
}

interface Opened {
  opened: OverlaidRow<UserRow>
  /** `picture`: a new one, null to take it away, undefined to leave it. */
  changes: Changes
}

export const save = createFormThunk(
  'profile/save',
  async ({ opened, changes: { picture, ...named } }: Opened, { extra: { api }, getState, dispatch }) => {
    const { intent } = selectProfile(getState())
    const wish = intent === null ? {} : { intent }
    const sent = picture ? await upload(api, picture) : { name: null }
    if ('problem' in sent) return { kind: 'problem', problem: sent.problem, ...wish }
    const body = { ...named, ...(picture === undefined ? {} : { avatar: sent.name }) }
    const { row } = opened
    const base = { rowVersion: versionOf(opened), values: { name: row.name, avatar: row.avatar } }
    const result = await api.call(updateOwnUser, { params: { id: row.id }, body }, { base, ...wish })
    if (result.kind === 'fresh') await dispatch(readOwn())
    return result
  },
)

interface Profile extends Sending {
  password: Status
}

const initialState: Profile = { ...unsent, password: idle }

const profile = createSlice({
  name: 'profile',
  initialState,
  reducers: {
    formOpened: (state) => ({ ...state, ...unsent }),
    passwordSent: (state) => ({ ...state, password: { kind: 'sending' } }),
    passwordAnswered: (state, { payload }: PayloadAction<Status>) => ({ ...state, password: payload }),
  },
  extraReducers: (builder) => addFormCases(builder, save).addCase(signedOut, () => initialState),
})

const own = profile.injectInto(root)
/** Of the whole state, whose type no feature knows. */
export const selectProfile = (state: object): Profile => own.selectSlice(state)
export const { formOpened, passwordAnswered } = profile.actions
const { passwordSent } = profile.actions

/** The frame shows name and picture as well, and the device keeps this reading for its next start. */
export const readOwn =
  (): AppThunk<void> =>
  async (dispatch, _getState, { api }) => {
    const result = await api.call(getUser, {})
    // Oneself always has a number.
    if (result.kind === 'fresh') dispatch(userRead(result.output as SessionUser))
  }

/** Never kept on the device: the contract calls it a secret. */
export const setPassword =
  (original: string, chosen: string): AppThunk<Result<unknown>> =>
  async (dispatch, _getState, { api }) => {
    dispatch(passwordSent())
    const result = await api.call(changePassword, { body: { orgPwd: original, newPwd: chosen } })
    dispatch(passwordAnswered(result.kind === 'problem' ? { kind: 'failed', problem: result.problem } : idle))
    return result
  }
